/* SPDX-License-Identifier: Apache-2.0 */
/* Names of a vendor in the examples of help: nothing is done by them. */
#ifndef SOSIA_CLI_EXAMPLES_H
#define SOSIA_CLI_EXAMPLES_H

#define EXAMPLE_HOST    "www.googleapis.com"
#define EXAMPLE_ORIGIN  "https://" EXAMPLE_HOST
#define EXAMPLE_REQUEST "/calendar/v3/users/me/calendarList"
#define EXAMPLE_DIALECT "calendar.google"
#define EXAMPLE_SERVICE "gmail"

#endif
