"""Which names are those of credentials, and which only look like it."""

import pytest

from webkeep.redaction.names import header_secrecy_of, secrecy_of

SECRET = """
    password Password user[password] new_password1 password_confirmation pass user_pass passphrase passcode pwd userpwd
    login[pwd] pin pin_code otp otp_code cvv cvc2 api-key api_key apiKey APIKey apikey X-Api-Key token access_token
    accessToken csrfmiddlewaretoken authenticity_token __RequestVerificationToken id_token secret client_secret
    secret[k] user[token][value] private_key secretkey access_key session_id sessionid PHPSESSID jsessionid sig auth
    authorization jwt code_verifier SAMLResponse _wpnonce sesskey kennwort mot_de_passe contraseña пароль 密码
    ｐａｓｓｗｏｒｄ verification_code auth_code credentials
""".split()  # noqa: SIM905 - it is read more easily so
OPEN = """
    design tokens monkey q tokenizer compass passage bypass passenger pinned spinner secretary secretariat author
    authors authority keyboard keyword key public_key primary_key page_token nextPageToken continuationToken max_tokens
    token_type access_token_expires_in password_length password_required passwordless zip_code country_code
    status_code pass_rate boarding_pass map_pin pinterest opinion shipping codec cookie_policy author_id token_id
    sid session ticket code state nonce csp signature_name
""".split()  # noqa: SIM905 - it is read more easily so


@pytest.mark.parametrize("name", SECRET)
def test_names_of_credentials(name: str) -> None:
    test = secrecy_of(name)
    assert test is not None
    assert test("geheim1")


@pytest.mark.parametrize("name", OPEN)
def test_names_that_only_look_like_it(name: str) -> None:
    test = secrecy_of(name)
    assert test is None or not test("12")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("has_password", "1"), ("show_password", "true"), ("with_credentials", "include"), ("password", ""),
        ("token", "[redacted]"), ("auth", "basic"), ("signature", "Best regards, Jane"), ("ticket", "1234"),
        ("session", "12"), ("cookie", "with chocolate"), ("tokens", "4096"),
    ],
)  # fmt: skip
def test_some_values_tell_nothing(name: str, value: str) -> None:
    test = secrecy_of(name)
    assert test is not None
    assert not test(value)


@pytest.mark.parametrize(
    ("name", "value"),
    [("session", "a81f3c0b9d7e4f12aa"), ("sid", "9f86d081884c7d65"), ("ticket", "ST-1-x"), ("signature", "Zm9vYmFy")],
)
def test_others_are_secret_by_their_shape(name: str, value: str) -> None:
    test = secrecy_of(name)
    assert test is not None
    assert test(value)


@pytest.mark.parametrize(
    "name",
    ["X-CSRF-Token", "X-Access-Token", "X-Vault-Token", "Private-Token", "X-Goog-Api-Key", "Cookie", "DPoP",
     "Authorization", "Proxy-Authorization", "X-Auth-Key", "X-Shopify-Access-Token", "X-Session-Id", "X-Client-Secret"],
)  # fmt: skip
def test_fields_that_say_who_someone_is(name: str) -> None:
    assert header_secrecy_of(name) is not None


@pytest.mark.parametrize(
    "name",
    ["Sec-WebSocket-Key", "Idempotency-Key", "Surrogate-Key", "Public-Key-Pins", "Vary", "ETag", "X-Cache-Key",
     "WWW-Authenticate", "Signature", "Origin-Trial", "Access-Control-Allow-Headers", "X-RateLimit-Remaining-Tokens"],
)  # fmt: skip
def test_fields_that_do_not(name: str) -> None:
    test = header_secrecy_of(name, in_response=True)
    assert test is None or not test("12")
