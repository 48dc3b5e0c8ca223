// SPDX-License-Identifier: Apache-2.0
// A screen of a person, without one.
import { actors, actorsError, askActors } from '../../app/state';
import { Empty, Failure } from '../../ui/errors';
import { text } from '../../strings';

/** People are still loaded, could not be, or the world has none. */
export function Nobody(p: { title: string }) {
  return (
    <div class="full">
      <h1 class="unseen">{p.title}</h1>
      {actorsError.value ? <Failure error={actorsError.value} again={askActors} /> : actors.value === null ? <p class="quiet" role="status">{text.loading}</p> : <Empty>{text.noPeople}</Empty>}
    </div>
  );
}
