"""What the work is: plain functions over records, which know neither Prefect nor DVC."""
