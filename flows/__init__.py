"""How the work is run: Prefect, disk and models. A flow reads, maps a task over records, and writes."""
