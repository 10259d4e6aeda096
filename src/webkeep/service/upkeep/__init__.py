"""What keeps a service running: backups and their way back, and the unit that systemd starts it by."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.service.upkeep.backup_check import BackupCheck as BackupCheck, check_backup as check_backup
    from webkeep.service.upkeep.service_backup import BackupSummary as BackupSummary, back_up_service as back_up_service
    from webkeep.service.upkeep.service_restore import restore_service as restore_service
    from webkeep.service.upkeep.systemd_unit import SystemdUnit as SystemdUnit, check_unit as check_unit
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "backup_check": ("BackupCheck", "check_backup"),
            "service_backup": ("BackupSummary", "back_up_service"),
            "service_restore": ("restore_service",),
            "systemd_unit": ("SystemdUnit", "check_unit"),
        },
    )
