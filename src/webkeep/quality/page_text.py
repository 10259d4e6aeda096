"""What the page of a certificate explains, whatever the certificate says."""

HOW = """<h2>How it was verified</h2>
<p>A resource can be vouched for over a time if it was asked for, and asked for again later. Where the server sent it a
second time, a digest (a fingerprint) of what came was compared with that of the first time: equal digests mean equal
bytes. Where the server answered that nothing had been modified, that is its word, and marked as such. A resource that
was the same both times is <em>coherent</em>: what is held here is what was there at both looks. Of what was asked for
once, that one instant is known.</p>
<p>All resources that were the same from a look before some moment to a look after it existed together at that moment.
The largest such set, and the time for which it holds, is named above. It is found by laying the times of all resources
over each other.</p>
<p>Equal content at two looks cannot show a change that was undone in between. A server's strong tag that stayed the
same speaks against that, and so does a date of last change that stayed the same, can be true and is not quite fresh, as
far as the server is honest; the column <em>firm</em> counts those. A tag that a server computes from the content alone
would return together with it. Dates and tags are the server's statements; digests and moments are our own, the moments
by the clock of the machine that captured.</p>
<p>This page follows from the records in the archive and from nothing else.</p>
"""

FIGURES = """<p>Pages are HTML documents; embeds are what else was there; others are redirects and what was missing.
<em>Judged</em> are resources seen at least twice, and apexes. <em>Together</em> is how many of the resources stood on
the site at the one moment named above, as they are held. <em>Expected</em> is how many of those with a known
change rate were likely to stay the same, beside how many did; <em>blur</em> is how many changes are to be expected,
on average, between what is held of a resource and what there was at a moment of the capture.</p>
"""

DIGESTS = "Digests are those that the records state; whether they were held against the bytes is said above."
