import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Icon } from '../components/icons.tsx';
import type { Share, ShareKind } from './share-kind.ts';

export interface ShareActionProps<S extends Share> {
  readonly kind: ShareKind<S>;
  readonly share: S;
  readonly label: string;
  readonly icon: Icon;
  readonly color?: string;
  readonly onClick?: () => void;
  readonly renderRoot?: (props: Record<string, unknown>) => ReactNode; // for a link
}

/** A button of a row. Two shares may have the same name, so the button is described as well. */
export function ShareAction<S extends Share>(props: ShareActionProps<S>) {
  const { kind, share, label, icon: Icon, color = 'gray', ...rest } = props;
  return (
    <Button
      variant="subtle"
      size="compact-xs"
      color={color}
      leftSection={<Icon size={14} aria-hidden />}
      aria-label={actionName(label, kind.nameOf(share))}
      aria-describedby={detailsId(share)}
      {...rest}
    >
      {label}
    </Button>
  );
}

/** Buttons of different rows have different names. */
export const actionName = (label: string, name: string): string => `${label}${label.includes(' ') ? ' of' : ''} ${name}`;

export const detailsId = ({ id }: Pick<Share, 'id'>): string => `share-${id}`;
