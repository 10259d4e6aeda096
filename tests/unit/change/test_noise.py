"""Noise told from change: what is known of pages everywhere, what a site's own pages teach, what people set by hand."""

import pytest

from webkeep.change.detection import (
    ChangeCategory,
    ChangeVerdict,
    NoiseKind,
    NoiseModel,
    compare_blocks,
    learn_noise,
    parse_noise_rules,
)
from webkeep.document import PageBlock, read_page_blocks, read_text_blocks
from webkeep.errors import UsageError

FILLING = "".join(f"<p>Paragraph {number} stays as it is, whatever else happens.</p>" for number in range(20))


def blocks(inside: str) -> list[PageBlock]:
    found = read_page_blocks(f"<body><main>{FILLING}{inside}</main></body>")
    assert found is not None
    return found


def judge(before: str, after: str, noise: NoiseModel | None = None) -> ChangeVerdict:
    verdict = compare_blocks(blocks(before), blocks(after), noise or NoiseModel())
    assert compare_blocks(blocks(after), blocks(before), noise or NoiseModel()).category is verdict.category
    return verdict


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        ("<p>Page generated at 12:00:01", "<p>Page generated at 12:00:09", NoiseKind.DATE),
        ("<p>Last updated:<b>3 May 2024", "<p>Last updated:<b>14 June 2024", NoiseKind.DATE),
        ("<p>posted 3 minutes ago", "<p>posted 2 hours ago", NoiseKind.DATE),
        ("<p>Visitors: <b>1,001", "<p>Visitors: <b>1,007", NoiseKind.COUNTER),
        ("<i class=hit-counter>hits 17</i>", "<i class=hit-counter>hits 18</i>", NoiseKind.COUNTER),
        ("<a href=/x?sid=0123456789abcdef0>x", "<a href=/x?sid=fedcba98765432101>x", NoiseKind.SESSION),
        ("<a href='/x;jsessionid=1?a=2'>x", "<a href='/x;jsessionid=2?a=2'>x", NoiseKind.SESSION),
        ("<a href=/x?cb=17>x", "<a href=/x?cb=18>x", NoiseKind.NONCE),
        ("<p>Session a1b2c3d4e5", "<p>Session f6a7b8c9d0", NoiseKind.SESSION),
        ("<input type=hidden name=csrf value=1>", "<input type=hidden name=csrf value=2>", NoiseKind.SESSION),
        ("<script nonce=a></script>", "<script nonce=b></script>", NoiseKind.NONCE),
        ("<b class=ad-box><a href=/1>Buy</a></b>", "<b class=ad-box><a href=/2>Now</a></b>", NoiseKind.ADVERTISEMENT),
        ("<a href=//ads.example/1><img src=/ads/1.png>", "<a href=//ads.example/2>", NoiseKind.ADVERTISEMENT),
        ("<p>one<p>two<p>three", "<p>three<p>one<p>two", NoiseKind.ORDERING),
        ("<p class=a>same", "<p class=b><b>same</b>", NoiseKind.MARKUP),
    ],
)  # fmt: skip
def test_what_is_known_everywhere(before: str, after: str, kind: NoiseKind) -> None:
    verdict = judge(before, after)
    assert (verdict.category, verdict.noise) == (ChangeCategory.INSIGNIFICANT, (kind,))


@pytest.mark.parametrize(
    ("before", "after", "category"),
    [
        ("<p>The fair is on 12 May", "<p>The fair is on 19 May", ChangeCategory.MINOR),
        ("<p>Price: 12.50", "<p>Price: 14.50", ChangeCategory.MINOR),
        ("<p>SHA-256 a1b2c3d4e5f6a7b8", "<p>SHA-256 0011223344556677", ChangeCategory.MINOR),
        ("<a href=/one>more", "<a href=/two>more", ChangeCategory.STRUCTURAL),
        ("<a href=/one>more</a>", "", ChangeCategory.STRUCTURAL),
        ("<img src=/one.png>", "<img src=/two.png>", ChangeCategory.STRUCTURAL),
        ("<a href=/news?id=1>more", "<a href=/news?id=2>more", ChangeCategory.STRUCTURAL),
        ("", "<p>" + "entirely new words " * 40, ChangeCategory.MAJOR),
        ("<p>Page generated at 12:00<p>Open", "<p>Page generated at 12:01<p>Closed", ChangeCategory.MINOR),
        ("<p class=adverse>Rain", "<p class=adverse>Sun", ChangeCategory.MINOR),
    ],
)
def test_what_matters_is_not_taken_for_noise(before: str, after: str, category: ChangeCategory) -> None:
    assert judge(before, after).category is category


def test_texts_without_spaces_are_compared_by_characters() -> None:
    text = "".join(chr(0x4E00 + number * 37 % 5000) for number in range(3000))
    before, after = (read_text_blocks(each) or [] for each in (text, text[:1500] + "新" + text[1500:]))
    verdict = compare_blocks(before, after, NoiseModel())
    assert verdict.resemblance is not None
    assert 0.9 < verdict.resemblance < 1


def noisy_page(machine: str, saying: str) -> str:
    return f"<p>Brought by {machine} ms<div><p>Overheard</p><p>{saying}</p></div>"


PAIRS = [
    (blocks(noisy_page("heron in 12", "The tide waits")), blocks(noisy_page("otter in 340", "A dry day"))),
    (blocks(noisy_page("wren in 3", "Never trust a gull")), blocks(noisy_page("heron in 31", "Fog visits"))),
]


def test_what_differs_whenever_it_is_fetched_is_learned_and_nothing_else() -> None:
    learned = NoiseModel(learned=learn_noise(PAIRS))
    noisy = judge(noisy_page("puffin in 9", "New words"), noisy_page("curlew in 99", "Other ones"), learned)
    assert (noisy.category, noisy.noise) == (ChangeCategory.INSIGNIFICANT, (NoiseKind.VARYING,))
    assert "(learned)" in noisy.describe()
    assert judge("<p>An ordinary text", "<p>Another text", learned).category is ChangeCategory.MINOR
    before, after = (noisy_page("wren in 1", "x") + f"<p>{each}" for each in ("yes", "no"))
    assert judge(before, after, learned).category is ChangeCategory.MINOR


def test_what_differed_once_may_have_been_its_author() -> None:
    assert not learn_noise(PAIRS[:1]).slots
    still = [(pair[0], pair[0]) for pair in PAIRS]
    assert not learn_noise([PAIRS[0], *still * 5, PAIRS[1], *still * 5]).slots


def test_dates_without_a_label_are_learned_by_their_looks() -> None:
    days = [
        ("Tuesday, 3 May 2024, 10:00:01", "Tuesday, 3 May 2024, 10:00:09"),
        ("Friday, 6 May 2024, 9:59:59", "Friday, 6 May 2024, 10:00:02"),
    ]
    learned = NoiseModel(learned=learn_noise([(blocks(f"<h2>{a}"), blocks(f"<h2>{b}")) for a, b in days]))
    verdict = judge("<h2>Sunday, 12 June 2025, 1:02:03", "<h2>Monday, 20 July 2026, 4:05:06", learned)
    assert (verdict.category, verdict.noise) == (ChangeCategory.INSIGNIFICANT, (NoiseKind.DATE,))


@pytest.mark.parametrize("filling", ["a", "的", "a1", "1", "-", " 1:00"])
def test_long_texts_without_spaces_are_learned_of_in_linear_time(filling: str) -> None:
    """What takes the square of the length would take minutes here."""
    before, after = (blocks(f"<h2>{filling * 100_000}{end}") for end in ("x", "y"))
    assert judge("<h2>one", "<h2>two", NoiseModel(learned=learn_noise([(before, after)] * 2))).category


def test_rules_set_by_hand() -> None:
    rules = parse_noise_rules(
        '[[ignore]]\nelement = "div.teaser"\nkind = "advertisement"\n'
        '[[ignore]]\ntext = "^Mood: "\n[[ignore]]\nlink = "/track/"\nkind = "session token"\n'
    )
    model = NoiseModel(rules)
    assert judge("<div class='a teaser'><a href=/1>x</a></div>", "<div class='a teaser'>y</div>", model).noise == (
        NoiseKind.ADVERTISEMENT,
    )
    assert judge("<p>Mood: merry", "<p>Mood: grim", model).noise == (NoiseKind.VARYING,)
    assert judge("<a href=/track/1>x", "<a href=/track/2>x", model).noise == (NoiseKind.SESSION,)
    assert judge("<p>In a mood: merry", "<p>In a mood: grim", model).category is ChangeCategory.MINOR


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[ignore", "no TOML"),
        ("ignore = 3", r"no tables \[\[ignore\]\]"),
        ("[[ignore]]\ncolour = 'red'", "use element, text, link, kind"),
        ("[[ignore]]\ntext = 3", "gives no text"),
        ("[[ignore]]\nkind = 'date'", "names nothing"),
        ("[[ignore]]\ntext = 'x'\nkind = 'boredom'", "use one of advertisement"),
        ("[[ignore]]\ntext = '('", r"\("),
        ("[[ignore]]\ntext = 'x'\n" * 1001, "1,001 rules"),
    ],
)
def test_what_is_wrong_with_a_file_of_rules(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_noise_rules(text)
    assert parse_noise_rules("") == ()


def made_anew(name: str, words: str, link: str) -> str:
    return f"<div class='box css-{name}'><p class=css-{name}>{words}<a href=/to/{link}>Go</a></p></div>"


def test_places_are_known_by_the_names_that_both_versions_have() -> None:
    pairs = [
        (blocks(made_anew(f"{number}a", f"word {number}", "a1")), blocks(made_anew(f"{number}b", "none", "b2")))
        for number in "xyz"
    ]
    noise = NoiseModel(learned=learn_noise(pairs))
    assert all("css" not in slot.place for slot in noise.learned.slots)
    before, after = made_anew("q", "other", "c3"), made_anew("r", "words", "d4")
    assert judge(before, after, noise).category is ChangeCategory.INSIGNIFICANT
    assert judge(f"{before}<p>Open", f"{after}<p>Closed", noise).category is ChangeCategory.MINOR
    assert judge(made_anew("q", "same", "1"), made_anew("r", "same", "1")).category is ChangeCategory.INSIGNIFICANT
    # What is known by a name that one version alone has, is known by it all the same.
    assert judge("<i class=ads>Buy</i>", "<i>Buy now</i>").category is ChangeCategory.MINOR
    assert judge("<i class='x ads'>Buy</i>", "").noise == (NoiseKind.ADVERTISEMENT,)


def test_what_has_no_words_of_its_own_is_known_by_its_marks() -> None:
    page = "<p>On air: <i>{0}</i> — {0}</p><p>{1}</p>"
    pairs = [
        (blocks(page.format(one, "News.")), blocks(page.format(two, "News.")))
        for one, two in (("Reel", "Jig"), ("Jig", "Air"), ("Air", "Reel"))
    ]
    noise = NoiseModel(learned=learn_noise(pairs))
    assert judge(page.format("Hymn", "x"), page.format("Song", "x"), noise).category is ChangeCategory.INSIGNIFICANT
    assert judge(page.format("Hymn", "News."), page.format("Song", "Olds."), noise).category is ChangeCategory.MINOR


def test_a_sentence_is_not_known_by_its_full_stop() -> None:
    pairs = [(blocks(f"<p>{one}.</p>"), blocks(f"<p>{two}.</p>")) for one, two in (("Tide", "Fog"), ("Sun", "Rain"))]
    noise = NoiseModel(learned=learn_noise(pairs))
    assert judge("<p>It is open.</p>", "<p>It is shut.</p>", noise).category is ChangeCategory.MINOR
