/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of stories about mailboxes (tests/support/story.h), in a world of mail_vendors.h. */
#ifndef SOSIA_TESTS_MAIL_STEPS_H
#define SOSIA_TESTS_MAIL_STEPS_H

#include "tests/services/mail/core/mail_vendors.h"

/* Says what a call gave back, if that is a refusal or more than 0. */
void mail_result(int r);
/* Its subject, "" without. */
const char *mail_subject_of(const struct mail_message *m);
/* Says what is in the mailboxes of Ada, Bob and Cyd, and in their feeds. */
void mail_state(void);

#endif
