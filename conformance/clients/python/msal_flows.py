# SPDX-License-Identifier: Apache-2.0
"""Microsoft's token library as Debian has it, with the authority's own host, through `sosia run`."""
import hashlib
import json
import os
import ssl
import subprocess
import sys
import tempfile

import msal
import requests

from harness import finish, step

TENANT = "7c0f0000-0000-4000-8000-000000000001"
WEB, DESK = "11111111-0000-4000-8000-000000000001", "11111111-0000-4000-8000-000000000002"
DOCUMENT = {
    "sosia": 1,
    "organizations": [{"domain": "port.example", "name": "Port"}],
    "people": [{"email": "ada@port.example", "name": "Ada Love"}],
    "accounts": [{"actor": "ada@port.example", "vendor": "microsoft"}],
    "apps": [
        {"client_id": WEB, "client_secret": "s1", "name": "Web", "kind": "web", "vendor": "microsoft",
         "redirect_uris": ["https://app.example/cb"]},
        {"client_id": DESK, "name": "Desk", "kind": "installed", "vendor": "microsoft"},
    ],
    "microsoftTenants": [{"domain": "port.example", "id": TENANT, "name": "Port"}],
    "microsoftUsers": [{"actor": "ada@port.example", "password": "hush"}],
    "microsoftApps": [{"app": WEB, "tenant": "port.example", "application": "User.Read.All"},
                      {"app": DESK, "tenant": "port.example", "delegated": "User.Read"}],
}
AUTHORITY = "https://login.microsoftonline.com/" + TENANT

if "SOSIA_WORLD" not in os.environ:
    with tempfile.TemporaryDirectory() as folder:
        path, key, certificate = (os.path.join(folder, name) for name in ("port.yaml", "key.pem", "app.pem"))
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=app.example",
                        "-keyout", key, "-out", certificate], check=True, stderr=subprocess.DEVNULL)
        with open(key, encoding="ascii") as f:
            os.environ["SOSIA_MSAL_KEY"] = f.read()
        with open(certificate, encoding="ascii") as f:
            os.environ["SOSIA_MSAL_CERTIFICATE"] = f.read()
        registered = {"app": WEB, "keyCredentials": ["".join(os.environ["SOSIA_MSAL_CERTIFICATE"].split("\n")[1:-2])]}
        with open(path, "w", encoding="utf-8") as f:
            json.dump({**DOCUMENT, "microsoftApplications": [registered]}, f)
        sys.exit(subprocess.call([os.environ.get("SOSIA_BIN", "sosia"), "run", "--show", os.path.dirname(os.path.abspath(__file__)),
                                  "--fixture", path, "--clock", "real", "--", sys.executable, os.path.abspath(__file__)]))


def graph(token, path):
    return requests.get("https://graph.microsoft.com/v1.0" + path, headers={"Authorization": "Bearer " + token}, timeout=500).json()


@step
def an_app_of_its_own():
    app = msal.ConfidentialClientApplication(WEB, client_credential="s1", authority=AUTHORITY)
    got = app.acquire_token_for_client(["https://graph.microsoft.com/.default"])
    assert graph(got["access_token"], "/users")["value"][0]["displayName"] == "Ada Love", got
    wrong = msal.ConfidentialClientApplication(WEB, client_credential="no", authority=AUTHORITY)
    assert 7000215 in wrong.acquire_token_for_client(["https://graph.microsoft.com/.default"])["error_codes"]


@step
def an_app_with_its_certificate():
    der = ssl.PEM_cert_to_DER_cert(os.environ["SOSIA_MSAL_CERTIFICATE"])
    own = {"private_key": os.environ["SOSIA_MSAL_KEY"], "thumbprint": hashlib.sha1(der).hexdigest()}
    app = msal.ConfidentialClientApplication(WEB, client_credential=own, authority=AUTHORITY)
    got = app.acquire_token_for_client(["https://graph.microsoft.com/.default"])
    assert "access_token" in got, got
    assert graph(got["access_token"], "/users")["value"][0]["displayName"] == "Ada Love", got
    other = {**own, "thumbprint": "0" * 40}
    wrong = msal.ConfidentialClientApplication(WEB, client_credential=other, authority=AUTHORITY)
    assert wrong.acquire_token_for_client(["https://graph.microsoft.com/.default"])["error"] == "invalid_client"


@step
def a_name_and_its_password_renewed():
    app = msal.PublicClientApplication(DESK, authority=AUTHORITY)
    got = app.acquire_token_by_username_password("ada@port.example", "hush", ["User.Read"])
    assert got["id_token_claims"]["preferred_username"] == "ada@port.example", got
    assert graph(got["access_token"], "/me")["displayName"] == "Ada Love"
    account = app.get_accounts()[0]
    again = app.acquire_token_silent(["User.Read"], account, force_refresh=True)
    assert again["access_token"] != got["access_token"]


@step
def a_device():
    app = msal.PublicClientApplication(DESK, authority=AUTHORITY)
    flow = app.initiate_device_flow(["User.Read"])
    page = requests.post(flow["verification_uri"], data={"user_code": flow["user_code"], "sosia_decision": "allow"},
                         headers={"Authorization": "Bearer " + os.environ["SOSIA_TOKEN"]}, timeout=500)
    assert page.status_code == 200, page.text
    got = app.acquire_token_by_device_flow(flow)
    assert graph(got["access_token"], "/me")["displayName"] == "Ada Love", got


finish()
