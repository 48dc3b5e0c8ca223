/* SPDX-License-Identifier: Apache-2.0 */
/* In the place of the carried image, where a build can't run what it has built. */
#include "engine/world/image.h"

const struct carried_image carried_image = {0};
