"""What a long-running command asks of its own process: signals heeded, files never half left, little garbage."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.process.atomic_files import (
        MAX_SHOWN_NAME_BYTES as MAX_SHOWN_NAME_BYTES,
        PART_SUFFIX as PART_SUFFIX,
        atomic_file as atomic_file,
        name_of_unfinished as name_of_unfinished,
        write_atomically as write_atomically,
    )
    from webkeep.process.database_dump import (
        DUMP_MEDIA_TYPES as DUMP_MEDIA_TYPES,
        DUMP_SUFFIXES as DUMP_SUFFIXES,
        DumpKind as DumpKind,
        write_dump as write_dump,
    )
    from webkeep.process.garbage_collection import rare_garbage_collection as rare_garbage_collection
    from webkeep.process.graceful_stop import (
        call_on_signals as call_on_signals,
        stop_event as stop_event,
        stop_on_interrupt as stop_on_interrupt,
    )
    from webkeep.process.listen_errors import listen_error as listen_error
    from webkeep.process.run_loop import (
        MAX_WAIT_SECONDS as MAX_WAIT_SECONDS,
        Run as Run,
        RunLoop as RunLoop,
        TaskSet as TaskSet,
    )
    from webkeep.process.run_watch import watch_run as watch_run
    from webkeep.process.signal_exit import SignalExit as SignalExit, exit_on_signals as exit_on_signals
    from webkeep.process.standard_streams import (
        open_missing_streams as open_missing_streams,
        redirect_to_null as redirect_to_null,
    )
    from webkeep.process.stop_switch import (
        StopSwitch as StopSwitch,
        WorkStopped as WorkStopped,
        current_stop_switch as current_stop_switch,
        use_stop_switch as use_stop_switch,
    )
    from webkeep.process.work_thread import call_cleanly as call_cleanly, start_work as start_work
    from webkeep.process.worker_process import start_worker as start_worker
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "atomic_files": (
                "MAX_SHOWN_NAME_BYTES",
                "PART_SUFFIX",
                "atomic_file",
                "name_of_unfinished",
                "write_atomically",
            ),
            "database_dump": ("DUMP_MEDIA_TYPES", "DUMP_SUFFIXES", "DumpKind", "write_dump"),
            "garbage_collection": ("rare_garbage_collection",),
            "graceful_stop": ("call_on_signals", "stop_event", "stop_on_interrupt"),
            "listen_errors": ("listen_error",),
            "run_loop": ("MAX_WAIT_SECONDS", "Run", "RunLoop", "TaskSet"),
            "run_watch": ("watch_run",),
            "signal_exit": ("SignalExit", "exit_on_signals"),
            "standard_streams": ("open_missing_streams", "redirect_to_null"),
            "stop_switch": ("StopSwitch", "WorkStopped", "current_stop_switch", "use_stop_switch"),
            "work_thread": ("call_cleanly", "start_work"),
            "worker_process": ("start_worker",),
        },
    )
