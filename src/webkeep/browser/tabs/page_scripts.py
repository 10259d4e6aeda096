"""Scripts of ours that tabs run in pages: acting on them, steady time and chance, what is hovered or lies over them."""

from importlib.resources import files


def _read_script(name: str) -> str:
    return (files("webkeep.browser") / "page" / name).read_text()


CONTROLLED_EXPRESSION = "Boolean(navigator.serviceWorker && navigator.serviceWorker.controller)"
CLEAR_STORAGE_SCRIPT = "try { sessionStorage.clear(); localStorage.clear(); } catch {}"
ACT_SCRIPT = f"""function (interaction) {{
{_read_script("perform.js")}
return webkeepAct(this, interaction);
}}"""
REHEARSE_SCRIPT = f"""(interactions) => {{
{_read_script("perform.js")}
for (const each of interactions) try {{ webkeepPerform(each); }} catch {{}}
}}"""
HOVER_SCRIPT = _read_script("hovered.js")
STEADY_SCRIPT = _read_script("steady.js")
OVERLAYS_SCRIPT = _read_script("overlays.js")
