"""The outside world: language models, embedders, the PDF reader and the term finder, each behind its protocol."""
