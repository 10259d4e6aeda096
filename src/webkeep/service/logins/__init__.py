"""Login profiles of collections: what a site gave whoever logged in there, sealed, and handed to captures alone."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.service.logins.login_content import (
        LoginContent as LoginContent,
        content_from_bytes as content_from_bytes,
    )
    from webkeep.service.logins.login_key import (
        KEY_FILE as KEY_FILE,
        PASSPHRASE_VARIABLE as PASSPHRASE_VARIABLE,
        LoginKeyFile as LoginKeyFile,
        LoginLockedError as LoginLockedError,
    )
    from webkeep.service.logins.login_profile import (
        LOGIN_OPTION as LOGIN_OPTION,
        LoginProfile as LoginProfile,
        LoginState as LoginState,
        check_profile_name as check_profile_name,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "login_content": ("LoginContent", "content_from_bytes"),
            "login_key": ("KEY_FILE", "PASSPHRASE_VARIABLE", "LoginKeyFile", "LoginLockedError"),
            "login_profile": ("LOGIN_OPTION", "LoginProfile", "LoginState", "check_profile_name"),
        },
    )
