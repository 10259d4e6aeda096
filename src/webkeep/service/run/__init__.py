"""A service that runs: its folder, the processes of jobs, schedules carried out, room on the disk."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.service.run.archive_descriptions import describe_archives as describe_archives
    from webkeep.service.run.capture_control import find_job_channel as find_job_channel
    from webkeep.service.run.capture_workers import (
        CaptureWorkers as CaptureWorkers,
        prepare_many_machines as prepare_many_machines,
    )
    from webkeep.service.run.collection_measure import measure_collections as measure_collections
    from webkeep.service.run.collection_removal import (
        RemovedCollection as RemovedCollection,
        collection_bytes as collection_bytes,
        remove_collection as remove_collection,
    )
    from webkeep.service.run.disk_budget import (
        DEFAULT_FREE_BYTES as DEFAULT_FREE_BYTES,
        DiskBudget as DiskBudget,
        folder_bytes as folder_bytes,
    )
    from webkeep.service.run.job_command import (
        COPY_NAME as COPY_NAME,
        FILES_NAME as FILES_NAME,
        PACKAGE_NAME as PACKAGE_NAME,
    )
    from webkeep.service.run.job_supervisor import (
        LOCK_VARIABLE as LOCK_VARIABLE,
        JobSupervisor as JobSupervisor,
        MachinePost as MachinePost,
    )
    from webkeep.service.run.job_workspace import JobOutput as JobOutput, JobWorkspace as JobWorkspace
    from webkeep.service.run.joined_machine import (
        JoinOrder as JoinOrder,
        host_machine_name as host_machine_name,
        join_service as join_service,
    )
    from webkeep.service.run.process_identity import identify_process as identify_process
    from webkeep.service.run.queue_wait import QueueWait as QueueWait
    from webkeep.service.run.schedule_runner import ScheduleRunner as ScheduleRunner
    from webkeep.service.run.seed_fetching import FetchedSeeds as FetchedSeeds
    from webkeep.service.run.seed_intake import (
        SubmittedJobs as SubmittedJobs,
        build_seed_schedule as build_seed_schedule,
        enter_schedule as enter_schedule,
        submit_orders as submit_orders,
        submit_seeds as submit_seeds,
        take_seeds_in as take_seeds_in,
    )
    from webkeep.service.run.service_folder import (
        ServiceFolder as ServiceFolder,
        is_machine_there as is_machine_there,
    )
    from webkeep.service.run.service_host import (
        Service as Service,
        ServicePages as ServicePages,
        run_service as run_service,
    )
    from webkeep.service.run.service_place import LOCAL_HOST as LOCAL_HOST, ServicePlace as ServicePlace
    from webkeep.service.run.service_settings import (
        DEFAULT_PORT as DEFAULT_PORT,
        DEFAULT_RUNNING as DEFAULT_RUNNING,
        JobLimits as JobLimits,
        ServiceSettings as ServiceSettings,
    )
    from webkeep.service.run.side_work import (
        ZIP_PROGRAM as ZIP_PROGRAM,
        SidePiece as SidePiece,
        SideStage as SideStage,
        SideWork as SideWork,
    )
    from webkeep.service.run.visitor_survey import check_visitor_repositories as check_visitor_repositories
    from webkeep.service.run.watch_intake import (
        PAGE_ALONE as PAGE_ALONE,
        WatchOrder as WatchOrder,
        begin_watch as begin_watch,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "archive_descriptions": ("describe_archives",),
            "capture_control": ("find_job_channel",),
            "capture_workers": ("CaptureWorkers", "prepare_many_machines"),
            "collection_measure": ("measure_collections",),
            "collection_removal": ("RemovedCollection", "collection_bytes", "remove_collection"),
            "seed_fetching": ("FetchedSeeds",),
            "watch_intake": ("PAGE_ALONE", "WatchOrder", "begin_watch"),
            "disk_budget": ("DEFAULT_FREE_BYTES", "DiskBudget", "folder_bytes"),
            "job_command": ("PACKAGE_NAME", "COPY_NAME", "FILES_NAME"),
            "job_supervisor": ("LOCK_VARIABLE", "JobSupervisor", "MachinePost"),
            "job_workspace": ("JobOutput", "JobWorkspace"),
            "joined_machine": ("JoinOrder", "host_machine_name", "join_service"),
            "process_identity": ("identify_process",),
            "queue_wait": ("QueueWait",),
            "schedule_runner": ("ScheduleRunner",),
            "seed_intake": (
                "SubmittedJobs",
                "build_seed_schedule",
                "enter_schedule",
                "submit_orders",
                "submit_seeds",
                "take_seeds_in",
            ),
            "service_folder": ("ServiceFolder", "is_machine_there"),
            "service_host": ("ServicePages", "Service", "run_service"),
            "service_place": ("LOCAL_HOST", "ServicePlace"),
            "visitor_survey": ("check_visitor_repositories",),
            "service_settings": ("DEFAULT_PORT", "DEFAULT_RUNNING", "JobLimits", "ServiceSettings"),
            "side_work": ("SidePiece", "SideStage", "SideWork", "ZIP_PROGRAM"),
        },
    )
