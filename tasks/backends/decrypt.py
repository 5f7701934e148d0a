"""Opens an encrypted PDF with a password read from standard input, and writes it without encryption.

It is a program of its own (`python decrypt.py IN OUT`), so that `bounded` limits its time and memory; the password is
on no command line and in no environment of its. It ends with 2 where the password does not open the file.
"""

import sys
from collections.abc import Iterator

WRONG_PASSWORD = 2


def main(source: str, target: str, password: str) -> int:
    """Write `target`. Old files hold the password in an encoding of their own, so each likely one is tried."""
    import pikepdf

    for form in _forms(password):
        try:
            with pikepdf.open(source, password=form) as pdf:
                pdf.save(target, encryption=False)
            return 0
        except pikepdf.PasswordError:
            continue
        except pikepdf.PdfError as error:
            sys.stderr.write(str(error)[:300])
            return 1
    return WRONG_PASSWORD


def _forms(password: str) -> Iterator[str | bytes]:
    yield password
    for encoding in ("utf-8", "latin-1", "cp1252"):
        try:
            yield password.encode(encoding)
        except UnicodeEncodeError:
            continue


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.stdin.buffer.read().decode("utf-8")))
