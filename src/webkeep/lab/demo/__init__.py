"""The demo site: a living website whose every change is known."""

from webkeep.lab.demo.addresses import HOSTS, Addresses
from webkeep.lab.demo.directory import write_site
from webkeep.lab.demo.plan import Leaves, SitePlan, TreeShape
from webkeep.lab.demo.resource import Kind, Reach, Resource
from webkeep.lab.demo.served import Served
from webkeep.lab.demo.server import DemoServer
from webkeep.lab.demo.site import DemoSite, State, Truth, town_pages
from webkeep.lab.demo.validators import Validators

__all__ = [
    "HOSTS",
    "Addresses",
    "DemoServer",
    "DemoSite",
    "Kind",
    "Leaves",
    "Reach",
    "Resource",
    "Served",
    "SitePlan",
    "State",
    "TreeShape",
    "Truth",
    "Validators",
    "town_pages",
    "write_site",
]
