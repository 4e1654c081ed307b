"""What produced some answers, so that an auditor can ask again and compare."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping
from typing import Any

from ifonly.models import Counted
from ifonly.preparing import Setting


def record_of(setting: Setting, model: Counted, options: Mapping[str, Any]) -> dict[str, Any]:
    """Versions, options, fingerprints and costs, all of which JSON can hold."""
    from importlib.metadata import version  # slow to import, and only needed here

    rules = [str(rule) for rule in setting.rules]
    return {
        "ifonly": version("ifonly"),
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "pandas": version("pandas"),
        **options,
        "rules": rules,
        "regression": not model.classes,
        "classes": list(model.classes),
        "model": setting.kind,
        "space_fingerprint": setting.space.fingerprint,
        "rules_fingerprint": hashlib.sha256("\n".join(rules).encode()).hexdigest()[:16],
        "model_fingerprint": setting.fingerprint,
        "model_rows": model.rows,
        "model_calls": model.calls,
    }
