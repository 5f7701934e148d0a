"""report: the tables, figures, metrics and the one page that people read (Tables 1, 4-7, A6, A7)."""

from tasks.report.data import Cost, DatasetRows, ExperimentRows, Published, PublishedIndex, Study, cost_of
from tasks.report.figures import Figure, all_figures
from tasks.report.html import page
from tasks.report.metrics import metrics
from tasks.report.results import compared, costs, empty_terms, safety, strategies
from tasks.report.table import Cell, Mark, Table, to_csv, to_html, to_latex, to_markdown
from tasks.report.tables import all_tables, base_retrieval, dataset_statistics, index_statistics, top_similarity

__all__ = [
    "Cell",
    "Cost",
    "DatasetRows",
    "ExperimentRows",
    "Figure",
    "Mark",
    "Published",
    "PublishedIndex",
    "Study",
    "Table",
    "all_figures",
    "all_tables",
    "base_retrieval",
    "compared",
    "cost_of",
    "costs",
    "dataset_statistics",
    "empty_terms",
    "index_statistics",
    "metrics",
    "page",
    "safety",
    "strategies",
    "to_csv",
    "to_html",
    "to_latex",
    "to_markdown",
    "top_similarity",
]
