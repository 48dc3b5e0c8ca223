// SPDX-License-Identifier: Apache-2.0
import all from './node-test.cjs';
export const { useWorld, withWorld } = all;
