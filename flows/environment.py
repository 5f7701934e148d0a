"""The environment of every process that runs a flow: local, quiet, offline, with the server settings that scale."""

import os
from pathlib import Path

_SETTINGS = {
    "DO_NOT_TRACK": "1",
    "DVC_NO_ANALYTICS": "1",
    "GX_ANALYTICS_ENABLED": "false",
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "MEDCAT_DISABLE_VERSION_CHECK": "true",
    "GOMP_SPINCOUNT": "0",  # idle llama.cpp threads must not starve the others on a small machine
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_LOGGING_LEVEL": "WARNING",
    "PREFECT_LOGGING_TO_API_WHEN_MISSING_FLOW": "ignore",
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "300",
    # SQLite locks under bursts of task events unless they are written in batches
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_BATCH_SIZE": "200",
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_READ_BATCH_SIZE": "200",
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_FLUSH_INTERVAL": "1",
    "PREFECT_SERVER_SERVICES_EVENT_PERSISTER_BATCH_SIZE": "500",
    "PREFECT_SERVER_SERVICES_EVENT_PERSISTER_READ_BATCH_SIZE": "200",
}


def prepare() -> None:
    """Set what is not set yet; call it before anything imports Prefect."""
    os.environ.setdefault("PREFECT_HOME", str(Path(".prefect").resolve()))
    for name, value in _SETTINGS.items():
        os.environ.setdefault(name, value)
