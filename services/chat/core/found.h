/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOSIA_CHAT_FOUND_H
#define SOSIA_CHAT_FOUND_H

#include "engine/state/found.h"

/* Messages of all channels, direct ones too. */
found_fn chat_found;

#endif
