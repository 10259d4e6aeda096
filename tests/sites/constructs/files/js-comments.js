// a = "no.html"
/* b = "no2.html" */
c = "c.html"