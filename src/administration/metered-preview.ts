import type { KeyPlaces } from '../delivery/steps/key-places.ts';
import type { RowQuota } from '../delivery/steps/row-quota.ts';
import type { Preview } from './preview.ts';

/** A preview by a key counts against its quotas as any other query of that key. */
export function meteredPreview(preview: Preview, rowQuota: RowQuota, keyPlaces: KeyPlaces): Preview {
  return async (actor, input, call, note) => {
    const quota = await rowQuota.check(actor);
    if (!quota.ok) return quota;
    const place = keyPlaces.enter(actor);
    if (!place.ok) return place;
    try {
      const shown = await preview(actor, input, call, note);
      if (shown.ok) rowQuota.given(actor, note.rows);
      return shown;
    } finally {
      place.value();
    }
  };
}
