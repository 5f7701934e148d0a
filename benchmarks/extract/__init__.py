"""How faithfully PDFs are read: documents of our own with known text, and real ones, by our engine and three others."""
