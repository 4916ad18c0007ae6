"""What a new catalogue needs besides its module: one that is half added fails here, and not in front of a person."""

from typing import get_args

import config.settings
from config.environment import SETTINGS
from research.setup.profiles import Provider
from sources import host_limits
from sources.providers import PROVIDERS


def test_profiles_can_name_every_provider() -> None:
    assert set(get_args(Provider)) == {"library", *PROVIDERS}


def test_the_address_of_every_host_is_a_setting() -> None:
    needed = {host.base_setting for host in vars(host_limits).values() if isinstance(host, host_limits.Host)}
    assert needed
    assert needed <= set(SETTINGS)
    assert all(getattr(config.settings, name) for name in needed)
