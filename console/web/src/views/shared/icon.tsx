// SPDX-License-Identifier: Apache-2.0
// Small pictures beside names; the name says the same, so that they are not read out.
const PATHS = {
  folder: 'M2 4.5c0-.6.4-1 1-1h3l1.5 1.7H13c.6 0 1 .4 1 1v5.3c0 .6-.4 1-1 1H3c-.6 0-1-.4-1-1z',
  file: 'M4 2h5l3 3v9H4zM9 2v3h3M6 8h4M6 10.5h4',
  clip: 'M12 6.5 7.3 11.2a1.7 1.7 0 0 1-2.4-2.4L10 3.7a2.6 2.6 0 0 1 3.7 3.7l-5.2 5.2a3.7 3.7 0 0 1-5.2-5.2L8 2.7',
  link: 'M6.5 9.5 9.5 6.5M7 4.5l1.3-1.3a2.8 2.8 0 0 1 4 4L11 8.5M9 11.5l-1.3 1.3a2.8 2.8 0 0 1-4-4L5 7.5',
  open: 'M4 6l4 4 4-4',
  closed: 'M6 4l4 4-4 4',
} as const;

export function Icon(p: { name: keyof typeof PATHS }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path d={PATHS[p.name]} fill="none" stroke="currentColor" stroke-width="1.3" stroke-linejoin="round" stroke-linecap="round" />
    </svg>
  );
}
