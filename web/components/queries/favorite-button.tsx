import { ActionIcon, Tooltip } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../app/api.ts';
import { queryClient } from '../../app/query-client.ts';
import type { Query } from '../../app/wire.ts';
import { IconStar, IconStarFilled } from '../icons.tsx';
import { toastProblem } from '../toast.ts';

/** Makes a query one of the user's favorites, or removes it. */
export function FavoriteButton({ query }: { readonly query: Pick<Query, 'id' | 'name' | 'isFavorite'> }) {
  const { id, name, isFavorite } = query;
  const [wanted, setWanted] = useState<boolean | null>(null); // until the service has it
  const shown = wanted ?? isFavorite;
  const toggle = async () => {
    if (wanted !== null) return;
    setWanted(!shown);
    try {
      await call(shown ? 'DELETE /api/v1/queries/{id}/favorite' : 'PUT /api/v1/queries/{id}/favorite', { params: { id } });
      await queryClient.invalidateQueries({ queryKey: ['queries'] });
    } catch (error) {
      toastProblem(error, `${name} was not changed`);
    }
    setWanted(null);
  };
  const label = shown ? 'Remove from favorites' : 'Add to favorites';
  return (
    <Tooltip label={label} withArrow>
      <ActionIcon
        variant="subtle"
        color={shown ? 'yellow.8' : 'gray'}
        size="sm"
        aria-pressed={shown}
        aria-label={`Favorite: ${name}`}
        onClick={() => void toggle()}
      >
        {shown ? <IconStarFilled size={16} /> : <IconStar size={16} />}
      </ActionIcon>
    </Tooltip>
  );
}
