// SPDX-License-Identifier: Apache-2.0
// Google's official calendar client for a person of a world, with nothing set but its rootUrl.
import { google } from 'googleapis';

export function client(w, email) {
  const auth = new google.auth.OAuth2();
  auth.setCredentials({ access_token: w.tokens[email] });
  return google.calendar({ version: 'v3', auth, rootUrl: w.url });
}

/** The first of the errors that a refusal lists, with its status. */
export function reason(error) {
  return [error.status, error.response?.data?.error?.errors?.[0]?.reason];
}
