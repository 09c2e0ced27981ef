"""Descriptions as HTML: a little Markdown, and never markup of the page."""

import pytest

from service.pages.frame.markdown import html_of


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("One *two* **three** `*four*`", "<p>One <em>two</em> <strong>three</strong> <code>*four*</code></p>"),
        ("a\nb\n\nc", "<p>a<br>b</p><p>c</p>"),
        ("2 * 3 * 4", "<p>2 * 3 * 4</p>"),
        (
            "[x & y](https://a.example/?b=1&c=2)",
            '<p><a href="https://a.example/?b=1&amp;c=2" rel="nofollow noopener">x &amp; y</a></p>',
        ),
        ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>"),
        ('[x](https://a"onclick=b)', "<p>[x](https://a&#34;onclick=b)</p>"),
        ("<b>*<i>*</b>", "<p>&lt;b&gt;<em>&lt;i&gt;</em>&lt;/b&gt;</p>"),
        ("", ""),
    ],
)
def test_a_description_is_html_of_its_marks_alone(text, html):
    assert html_of(text) == html
