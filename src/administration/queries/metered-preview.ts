import type { KeyPlaces } from '../../delivery/steps/key-places.ts';
import { QuotaError, type RowQuota } from '../../delivery/steps/row-quota.ts';
import { failed } from '../../errors.ts';
import { PREVIEW_ROWS, type Preview } from './preview.ts';

/** A preview by a key counts against its quotas as any other query of that key. */
export function meteredPreview(preview: Preview, rowQuota: RowQuota, keyPlaces: KeyPlaces): Preview {
  return async (actor, input, call, note) => {
    const quota = await rowQuota.open(actor);
    if (!quota.ok) return quota;
    const place = keyPlaces.enter(actor);
    if (!place.ok) return place;
    let rows: number | null = null;
    try {
      quota.value.holdAll(PREVIEW_ROWS);
      const shown = await preview(actor, input, call, note);
      if (shown.ok) rows = note.rows;
      return shown;
    } catch (error) {
      if (error instanceof QuotaError) return failed(error.failure);
      throw error;
    } finally {
      quota.value.settle(rows);
      place.value();
    }
  };
}
