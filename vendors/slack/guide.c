/* SPDX-License-Identifier: Apache-2.0 */
/* Slack for programs beside the library: its clients, the traces of its secrets. */
#include "engine/api/guide.h"
#include "vendors/slack/slack.h"

static const char *const clients[] = {
    "  Slack   new WebClient('${slack_user}', {slackApiUrl: '${url}/api/'})\n"
    "          WebClient(token='${slack_user}', base_url='${url}/api/')\n",
    NULL,
};

static const char *const hooks[] = {SLACK_HOOKS, NULL};
static const char *const answers[] = {"X-OAuth-*", "X-Accepted-OAuth-*", NULL};

static const struct traces traces = {
    .tokens = "xox[a-z]-[\\w-]{8,}|xapp-[\\w-]{8,}",
    .hooks = hooks,
    .answers = answers,
};

const struct guide slack_guide = {
    .origin = "https://" SLACK_HOST,
    .clients = clients,
    .credential = "slack",
    .variables = "SOSIA_SLACK_USER, SOSIA_SLACK_BOT and others",
    .traces = &traces,
};
