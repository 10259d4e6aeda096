http://example.org/1 127.0.0.1 20240301120000 text/plain 113
HTTP/1.1 200 OK
Content-Type: text/plain

The ferry leaves at noon; in winter it leaves when the ice lets it. 
http://example.org/2 127.0.0.1 20240301120000 text/plain 100
HTTP/1.1 200 OK
Content-Type: text/plain

The ferry leaves at noon; in winter it leaves when the ice lets it. The ferry leaves at noon; in winter it leaves when the ice lets it. 
http://example.org/3 127.0.0.1 20240301120000 text/plain 249
HTTP/1.1 200 OK
Content-Type: text/plain

The ferry leaves at noon; in winter it leaves when the ice lets it. The ferry leaves at noon; in winter it leaves when the ice lets it. The ferry leaves at noon; in winter it leaves when the ice lets it. 
