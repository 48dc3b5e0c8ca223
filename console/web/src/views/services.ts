// SPDX-License-Identifier: Apache-2.0
// Screens of what services have: of a person (mail, calendar, drive, chat), and the world's workspace.
import type { View } from '../app/views';

export const services: View[] = [];
