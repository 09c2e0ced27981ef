from playwright.sync_api import expect


def groups(page):
    return page.locator("section.group:not(.broad)")


def test_the_first_view_groups_the_corpus(page, keep):
    page.goto("/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Four topics")
    expect(groups(page)).to_have_count(4)
    keep("first-view")


def test_a_search_shows_a_grouped_cloud(page, keep):
    page.goto("/")
    page.get_by_label("Search for tags").fill("payments")
    page.get_by_role("button", name="Show").click()
    expect(page.locator(".chips li")).to_have_text(["payment ×"])
    expect(groups(page).first.get_by_role("link", name="cash")).to_be_visible()
    keep("search")


def test_choosing_a_tag_refines_and_back_returns(page):
    page.goto("/?q=payment")
    page.get_by_role("link", name="cash").click()
    expect(page.locator(".chips li")).to_have_count(2)
    page.go_back()
    expect(page.locator(".chips li")).to_have_count(1)
    page.locator(".chips a").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Four topics")


def test_fewer_groups_join_concepts(page):
    page.goto("/")
    page.get_by_label("Groups").fill("2")
    page.get_by_role("button", name="Show").click()
    expect(groups(page)).to_have_count(2)


def test_an_unknown_word_offers_what_was_meant(page, keep):
    page.goto("/?q=gitarre")
    page.get_by_role("status").get_by_role("link", name="guitar").click()
    expect(page.locator(".chips li")).to_have_text(["guitar ×"])
    page.goto("/?q=gitarre")
    keep("unknown-word")


def test_it_is_readable_on_a_phone(page, keep):
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto("/?q=payment")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    keep("phone")


def test_it_follows_the_dark_mode_of_the_system(page, keep):
    page.emulate_media(color_scheme="dark")
    page.goto("/?q=payment")
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.emulate_media(color_scheme="light")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != dark
    page.emulate_media(color_scheme="dark")
    keep("dark")
