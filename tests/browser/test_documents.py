"""Documents in a browser: icons under the cloud, their own page, and in the embed."""

from playwright.sync_api import expect


def test_a_search_shows_its_senses_with_pictures_and_its_documents(page, keep, accessible):
    """Each group shows pictures, and below the cloud are the documents with the tag, which is marked."""
    page.goto("/?corpus=icons&q=card")
    expect(page.get_by_role("heading", name="documents with card")).to_be_visible()
    assert page.locator(".group .strip").count() > 3
    cards = page.locator(".card")
    expect(cards).to_have_count(12)
    expect(cards.first.locator("mark")).to_have_text("card")
    picture = page.locator(".strip img").first
    picture.scroll_into_view_if_needed()
    page.wait_for_function("image => image.complete && image.naturalWidth > 0", arg=picture.element_handle())
    accessible(page)
    keep(page, "search-documents")


def test_documents_lead_on_without_javascript_and_on_a_phone(visitor, keep, accessible):
    """The title is a link to the page of the document, which lists documents like it."""
    page = visitor(java_script_enabled=False, viewport={"width": 390, "height": 800}, color_scheme="dark")
    page.goto("/?corpus=icons&q=card")
    page.locator(".card h3 a").first.click()
    expect(page.get_by_role("heading", name="More like this")).to_be_visible()
    assert page.locator(".card").count() == 12
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    keep(page, "document-phone-dark")


def test_the_page_of_a_document_is_accessible(page, keep, accessible):
    """One document with its picture, its tags, its concept and those like it."""
    page.goto("/?corpus=icons&q=card")
    page.locator(".card h3 a").first.click()
    expect(page.get_by_text("Tags it may be missing")).to_be_visible()
    accessible(page)
    keep(page, "document")
    page.goto("/document?corpus=icons")
    expect(page.get_by_role("heading", name="Documents of Icons and their keywords")).to_be_visible()
    accessible(page)


def test_choosing_a_tag_of_a_card_narrows_the_documents(page):
    """The tags of a card lead on from the query, without loading the page anew."""
    page.goto("/?corpus=icons&tag=payment")
    link = page.locator(".card .marks li:not(.asked) a").first
    tag = link.inner_text()
    link.click()
    expect(page.get_by_role("heading", name=f"with payment and {tag}")).to_be_visible()
