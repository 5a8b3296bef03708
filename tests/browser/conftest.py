"""A headless Chromium for the tests of the site; they skip where it or selenium is missing."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
WHEN_LOADED = """
const [done] = arguments;
if (document.readyState === "complete") done(); else addEventListener("load", () => done());
"""


@dataclass(frozen=True)
class Browser:
    """What the tests ask of Chromium, around selenium's driver."""

    driver: Any

    def open(self, path: Path, place: str = "", *, width: int = 1400, scheme: str = "light"):
        """Opens a file from the disk anew, at a width in pixels, light or dark."""
        self.visit(path.resolve().as_uri() + place, width=width, scheme=scheme)

    def visit(self, address: str, *, width: int = 1400, scheme: str = "light"):
        """Opens an address anew, at a width in pixels, light or dark."""
        self.view(width=width, scheme=scheme)
        self.driver.get("about:blank")
        self.driver.get(address)
        # get() may return before style sheets are there.
        self.driver.execute_async_script(WHEN_LOADED)

    def view(self, *, width: int, scheme: str):
        """Changes the width in pixels, and light or dark."""
        # Without motion, so that nothing still moves where a test clicks.
        media = {"prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"}
        features = [{"name": name, "value": value} for name, value in media.items()]
        self.command("Emulation.setEmulatedMedia", features=features)
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.command("Emulation.setDeviceMetricsOverride", **metrics)

    def command(self, name: str, **parameters: object) -> Any:
        """A command of the Chrome DevTools Protocol."""
        return self.driver.execute_cdp_cmd(name, parameters)

    def run(self, script: str, *arguments: object) -> Any:
        """What a function body in JavaScript returns."""
        return self.driver.execute_script(script, *arguments)

    def console(self) -> list[dict]:
        """What the console has said since the last call.

        Chromium asks for an icon where a test opens a file that is no page, and says so later.
        """
        said = self.driver.get_log("browser")
        return [line for line in said if "/favicon.ico" not in line["message"]]

    def part(self, name: str) -> Any:
        """The element of game.html that has this `data-part`."""
        return self.driver.find_element("css selector", f'[data-part="{name}"]')


@pytest.fixture(scope="session")
def browser(tmp_path_factory) -> Iterator[Browser]:
    webdriver = pytest.importorskip("selenium.webdriver")
    chromium, chromedriver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or chromedriver is None:
        pytest.skip("chromium and chromedriver are not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in (*ARGUMENTS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options, webdriver.ChromeService(chromedriver))
    yield Browser(driver)
    driver.quit()
