"""A network for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import require
from tests.networks.lan import Lan, can_make_lans, lan


@pytest.fixture
def net(tmp_path: Path) -> Iterator[Lan]:
    """Two bridges without computers."""
    require(can_make_lans(), "needs root, network namespaces and nft")
    with lan(tmp_path) as made:
        yield made
