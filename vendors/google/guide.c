/* SPDX-License-Identifier: Apache-2.0 */
/* Google for programs beside the library: its clients, the traces of its secrets. */
#include "engine/api/guide.h"
#include "vendors/google/google.h"

static const char *const clients[] = {
    "  Node    google.calendar({version: 'v3', auth, rootUrl: '${url}/'})\n",
    "  Python  build('calendar', 'v3', http=http,\n"
    "                discoveryServiceUrl='${url}/discovery/v1/apis/{api}/{apiVersion}/rest')\n",
    NULL,
};

static const char *const signatures[] = {"X-Goog-Signature", NULL};
static const char *const key_names[] = {"X-Goog-Api-Key", NULL};
static const char *const things[] = {"group.calendar.google.com",
                                     "group.v.calendar.google.com",
                                     "resource.calendar.google.com",
                                     "import.calendar.google.com",
                                     "public.calendar.google.com",
                                     "mail.gmail.com",
                                     NULL};
static const char *const domains[] = {"googleapis.com", "gmail.com", NULL};
/* Behind the @ in the links of events. */
static const char *const short_ends[] = {"@m", "@gmail.com", NULL};
static const char *const programs[] = {"X-Goog-Api-Client", NULL};
static const char *const unrecorded[] = {"X-Goog-Api-Key", "X-Goog-Request-Params", NULL};
static const char *const answers[] = {"X-Goog-*", "X-Upload-*", NULL};
static const char *const limits[] = {"\"rateLimitExceeded\"", "\"userRateLimitExceeded\"",
                                     "\"quotaExceeded\"", "\"RATE_LIMIT_EXCEEDED\"", NULL};

static const struct traces traces = {
    .tokens = "ya29\\.[\\w.-]{8,}|1//0[\\w-]{20,}|GOCSPX-[\\w-]{10,}",
    .keys = "AIza[\\w-]{35}",
    .signatures = signatures,
    .key_names = key_names,
    .things = things,
    .domains = domains,
    .programs = programs,
    .unrecorded = unrecorded,
    .answers = answers,
    .uid = "@google.com",
    .short_ends = short_ends,
    .limits = limits,
};

const struct guide google_guide = {
    .origin = "https://www.googleapis.com",
    .request = "/calendar/v3/users/me/calendarList",
    .clients = clients,
    .bearer = "google",
    .scope_prefix = "https://www.googleapis.com/auth/",
    .traces = &traces,
};
