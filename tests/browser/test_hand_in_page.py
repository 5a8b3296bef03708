"""The pages of a server in a browser: a student hands in, the teacher has games played."""

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from tests.data import ROOT
from tests.fake_arena import OPTIONS, file_network, record_of, tiny_network
from tests.lending import play_challenges_here
from tests.serving import Serving, copy_network, issue_tokens, serving, wait_for
from tournament.league.league import League
from tournament.league.settings import term_of
from tournament.report import keep
from tournament.running.plan import scheduled_jobs
from tournament.server import limits

pytestmark = pytest.mark.slow
pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")

RUN = ("--visits", "2", "--max-plies", "20", "--workers", "1")
TEXT = "return document.body.innerText"
# Whether an export has arrived whole; what Chromium does with it then is its own affair.
SAVED = """
return performance.getEntriesByType("resource").some((entry) =>
  entry.name.endsWith("/export") && entry.responseEnd > 0 && entry.responseStatus === 200);
"""

# What nginx answers in the place of a server that is stopped.
AWAY_ONCE = """
const ask = window.fetch;
window.fetch = () => {
  window.fetch = ask;
  return Promise.resolve(new Response("", { status: 502, headers: { "Retry-After": "0" } }));
};
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[Serving]:
    """A league of one network, in which Ada has a bad file and a good one to hand in."""
    folder = tmp_path_factory.mktemp("served")
    league = folder / "league"
    tokens = issue_tokens(league)
    file_network(League(league), "Grace", tiny_network(1), folder)
    with serving(league, tokens, run_arguments=RUN, builds_site=True) as running:
        yield running


def open_page(browser, server: Serving, path: str, *, width: int = 1400, scheme: str = "light"):
    browser.view(width=width, scheme=scheme)
    browser.driver.get(f"http://127.0.0.1:{server.port}{path}")


def forget_token(browser, server: Serving) -> None:
    open_page(browser, server, "/style.css")  # a place without scripts that would ask on
    browser.run("sessionStorage.clear()")
    browser.console()


def sign_in(browser, token: str) -> None:
    if browser.part("sign-in").is_displayed():
        browser.driver.find_element("id", "token").send_keys(token)
        browser.driver.find_element("css selector", "[data-part=sign-in] button").click()
    wait_for(lambda: browser.part("signed-in").is_displayed() or browser.part("problem").text)


def hand_in(browser, path: Path) -> str:
    """The words of the verdict on a file that is chosen and sent."""
    browser.driver.find_element("id", "file").send_keys(str(path))
    browser.part("send").click()
    wait_for(lambda: browser.part("sending").is_displayed() or browser.part("verdict").text)
    return wait_for(lambda: browser.part("verdict").text)


def ranking(browser, server: Serving) -> list[str]:
    """The names in the ranking's order."""
    open_page(browser, server, "/site/index.html")
    return browser.run(
        "return [...document.querySelectorAll('.ranking tbody th a')].map((a) => a.textContent)"
    )


def test_a_student_hands_in_and_the_ranking_moves(browser, server, tmp_path):
    wait_for(lambda: (server.league / "site" / "index.html").exists())
    before = ranking(browser, server)
    assert "Ada" not in before
    open_page(browser, server, "/")
    sign_in(browser, "wrong")
    assert "no valid token" in browser.part("problem").text
    sign_in(browser, server.tokens["Ada"])
    assert browser.part("name").text == "Ada"
    bad = hand_in(browser, ROOT / "README.md")
    assert "README.md: refused" in bad and "the file is not an HDF5 file" in bad
    assert "save the model again with Keras itself" in bad
    good = hand_in(browser, copy_network(tmp_path))
    assert "net0.h5: accepted" in good and "95,987" in good
    rows = wait_for(lambda: two_rows(browser))
    assert "net0.h5" in rows[0].text and "README.md" in rows[1].text
    assert browser.part("plays").text.startswith("In the league: net0.h5 of 20")
    refused_again = hand_in(browser, ROOT / "README.md")
    assert "The file that counts is net0.h5 of 20" in refused_again
    open_page(browser, server, "/")
    wait_for(lambda: browser.part("signed-in").is_displayed())  # the tab knows the token still
    wait_for(lambda: len(League(server.league).submissions.entrants()) == 2)

    open_page(browser, server, "/teacher")
    wait_for(lambda: browser.part("problem").text)  # a student's token
    sign_in(browser, server.tokens["Emmy"])
    wait_for(lambda: "Paused" in browser.part("run-words").text)
    browser.part("start").click()
    wait_for(lambda: "2 of 2 games are played" in browser.part("run-words").text)
    browser.part("pause").click()
    wait_for(lambda: "Paused" in browser.part("run-words").text)
    browser.part("export").click()
    wait_for(lambda: browser.run(SAVED))
    assert not browser.part("problem").is_displayed()
    assert wait_for(lambda: "Ada" in ranking(browser, server))
    own = [entry for entry in browser.console() if "status of 401" not in entry["message"]]
    assert own == []


def test_the_page_waits_for_a_server_that_restarts_behind_its_proxy(browser, server):
    forget_token(browser, server)
    open_page(browser, server, "/")
    sign_in(browser, server.tokens["Ada"])
    browser.run(AWAY_ONCE)
    assert "README.md: refused" in hand_in(browser, ROOT / "README.md")
    assert not browser.part("problem").is_displayed()


def test_a_student_challenges_a_network_and_sees_the_games(browser, server, monkeypatch):
    play_challenges_here(monkeypatch)
    forget_token(browser, server)
    open_page(browser, server, "/")
    sign_in(browser, server.tokens["Grace"])
    form = browser.part("challenge")
    wait_for(lambda: "mixnet" in form.text)
    form.find_element("id", "opponent").send_keys("mixnet")
    form.find_element("tag name", "button").click()
    wait_for(lambda: "You won " in browser.part("matches").text)
    form.find_element("tag name", "button").click()
    wait_for(lambda: len(browser.part("matches").find_elements("tag name", "tr")) == 2)
    browser.part("matches").find_elements("link text", "Games")[0].click()
    wait_for(lambda: browser.run("return location.pathname === '/challenge'"))
    wait_for(lambda: browser.part("content").is_displayed())
    assert "Grace" in browser.part("players").text and "mixnet" in browser.part("players").text
    assert len(browser.part("meeting").find_elements("tag name", "li")) == 4
    before = browser.part("count").text
    browser.part("back").click()
    assert browser.part("count").text != before
    assert browser.console() == []
    browser.run("sessionStorage.clear()")
    browser.driver.refresh()
    wait_for(lambda: "in the same tab" in browser.part("problem").text)
    browser.console()


def test_a_teacher_renews_and_revokes_a_token(browser, server):
    def button(label: str):
        found = browser.driver.find_elements("css selector", f'[aria-label="{label} Kurt"]')
        return found[0] if found else None

    forget_token(browser, server)
    open_page(browser, server, "/teacher")
    sign_in(browser, server.tokens["Emmy"])
    wait_for(lambda: button("New token for")).click()
    browser.driver.switch_to.alert.accept()
    token = wait_for(lambda: browser.part("new-token-text").text)
    assert browser.part("new-token-name").text == "Kurt"
    assert server.as_("Kurt").get("/api/me").status == 401
    server.tokens["Kurt"] = token
    assert server.as_("Kurt").get("/api/me").status == 200
    wait_for(lambda: button("Revoke the token of")).click()
    browser.driver.switch_to.alert.dismiss()
    assert server.as_("Kurt").get("/api/me").status == 200
    button("Revoke the token of").click()
    browser.driver.switch_to.alert.accept()
    wait_for(lambda: button("Revoke the token of") is None)
    assert server.as_("Kurt").get("/api/me").status == 401
    button("New token for").click()  # of nobody's that would end, so nothing is asked
    server.tokens["Kurt"] = wait_for(lambda: browser.part("new-token-text").text)
    wait_for(lambda: button("Revoke the token of"))
    assert [entry for entry in browser.console() if "favicon" not in entry["message"]] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_table_that_is_cut_off_is_shaded_there(browser, server, scheme):
    forget_token(browser, server)
    open_page(browser, server, "/teacher", width=400, scheme=scheme)
    sign_in(browser, server.tokens["Emmy"])
    wait_for(lambda: browser.part("students").text)
    cut = browser.part("students").find_element("xpath", "ancestor::div[@class='scroll']")
    assert cut.get_property("scrollWidth") > cut.get_property("clientWidth")
    before = colours_at_the_edge(cut)
    browser.run("arguments[0].scrollLeft = arguments[0].scrollWidth", cut)
    paper = wait_for(lambda: colours_at_the_edge(cut))
    assert len(before) > 3 * len(paper), "shaded until the end of the table is reached"


def colours_at_the_edge(table) -> set:
    """The colours of its last pixels, in a line where no text is."""
    picture = Image.open(io.BytesIO(table.screenshot_as_png)).convert("RGB")
    return {picture.getpixel((x, 3)) for x in range(picture.width - 12, picture.width)}


def test_a_long_history_grows_by_pages(browser, server, monkeypatch):
    monkeypatch.setattr(limits, "PAGE", 2)
    for number in range(3):
        server.as_("Kurt").hand_in(f"{number}".encode(), f"file{number}.h5")
    forget_token(browser, server)
    open_page(browser, server, "/")
    sign_in(browser, server.tokens["Kurt"])
    wait_for(lambda: browser.part("earlier").is_displayed())
    assert names_of_rows(browser) == ["file2.h5", "file1.h5"]
    browser.part("earlier").find_element("tag name", "button").click()
    wait_for(lambda: len(names_of_rows(browser)) > 2)
    assert names_of_rows(browser) == ["file2.h5", "file1.h5", "file0.h5"]
    assert not browser.part("earlier").is_displayed()
    assert browser.console() == []


def names_of_rows(browser) -> list[str]:
    return browser.run(
        "return [...document.querySelectorAll('[data-part=files] .file')].map(x => x.textContent)"
    )


def two_rows(browser) -> list | None:
    rows = browser.part("files").find_elements("tag name", "tr")
    return rows if len(rows) == 2 else None


PAGES = {"hand-in": ("/", "Grace", "files"), "teacher": ("/teacher", "Emmy", "students")}


@pytest.mark.parametrize(("scheme", "width"), [("light", 1400), ("dark", 360)])
@pytest.mark.parametrize("page", PAGES)
def test_pages_fit_and_are_accessible(browser, server, page, scheme, width):
    axe = pytest.importorskip("axe_core_python.selenium").Axe()
    path, name, rows = PAGES[page]
    server.as_("Grace").hand_in(b"no network")
    forget_token(browser, server)
    open_page(browser, server, path, width=width, scheme=scheme)
    for signed_in in (False, True):
        if signed_in:
            sign_in(browser, server.tokens[name])
            wait_for(lambda: browser.part(rows).text)
        assert browser.run("return document.documentElement.scrollWidth") <= width
        found = axe.run(browser.driver)
        assert [(rule["id"], rule["nodes"][0]["html"]) for rule in found["violations"]] == []
    assert browser.console() == []


def test_a_hostile_name_stays_text(browser, server):
    hostile = "<img src=x onerror=alert(1)>.h5"
    server.as_("Kurt").hand_in(b"x", hostile)
    for path, name, rows, shown in (
        ("/", "Kurt", "files", hostile), ("/teacher", "Emmy", "students", "Kurt")
    ):
        forget_token(browser, server)
        open_page(browser, server, path)
        sign_in(browser, server.tokens[name])
        wait_for(lambda rows=rows: browser.part(rows).text)
        assert shown in browser.part(rows).text
        assert browser.run("return document.images.length") == 0
    assert browser.console() == []


@pytest.fixture(scope="module")
def in_a_term(tmp_path_factory) -> Iterator[Serving]:
    """A league in the second week of its term, of whose first one the table is kept."""
    folder = tmp_path_factory.mktemp("term")
    league = folder / "league"
    tokens = issue_tokens(league)
    opened = League(league)
    for number, name in enumerate(("Ada", "Grace", "Kurt")):
        file_network(opened, name, tiny_network(number), folder)
    for job in scheduled_jobs(opened, OPTIONS, 1):
        opened.games.record(record_of(job))
    opened.written_names.note({"Grace": "Gráce"})
    deadlines = ["2026-10-09 23:59", "2026-10-16 23:59", "2026-10-30 23:59"]
    term = term_of({"zone": "Europe/Paris", "deadlines": deadlines})
    opened.weeks.close(term.deadlines[0])
    keep(opened)
    now = "2026-10-12T08:00:00.000000+00:00"
    with serving(league, tokens, term=term, now=lambda: now, builds_site=True) as running:
        yield running


@pytest.mark.parametrize(("scheme", "width"), [("light", 1400), ("dark", 360)])
def test_the_teacher_sees_the_term_and_its_kept_pages(browser, in_a_term, scheme, width):
    axe = pytest.importorskip("axe_core_python.selenium").Axe()
    forget_token(browser, in_a_term)
    open_page(browser, in_a_term, "/teacher", width=width, scheme=scheme)
    sign_in(browser, in_a_term.tokens["Emmy"])
    weeks = wait_for(lambda: browser.part("weeks").text)
    students = browser.part("students").text
    assert "Gráce" in students and "In the league: the network of 20" in students
    assert "No week waits for its games." in browser.part("run-words").text
    assert "2026-10-09 its table and page" in weeks
    assert "Friday, 16 October 2026" in weeks and "open: files are coming" in weeks
    assert weeks.endswith("to come")
    assert "files count until Friday, 16 October" in browser.part("facts").text
    assert browser.run("return document.documentElement.scrollWidth") <= width
    assert axe.run(browser.driver)["violations"] == []
    browser.part("weeks").find_element("tag name", "a").click()
    wait_for(lambda: "The week that ended on 2026-10-09" in browser.run(TEXT))
    assert "Gráce" in browser.run(TEXT)
    assert browser.run("return document.documentElement.scrollWidth") <= width
    assert axe.run(browser.driver)["violations"] == []
    browser.driver.find_element("css selector", ".banner a").click()
    wait_for(lambda: "its table and page" not in browser.run(TEXT) and "Weeks" in browser.run(TEXT))
    links = browser.driver.find_elements("css selector", "a[href='weeks/2026-10-09/index.html']")
    assert len(links) == 1
    assert axe.run(browser.driver)["violations"] == []
    assert browser.console() == []
