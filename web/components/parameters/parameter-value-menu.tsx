import { ActionIcon, Menu } from '@mantine/core';
import type { QueryParameter } from '../../app/wire.ts';
import { IconDots } from '../icons.tsx';
import type { InputKind } from './parameter-values.ts';

export interface ValueMenuProps {
  readonly parameter: QueryParameter;
  readonly label: string;
  readonly kind: InputKind;
  readonly value: string | null | undefined;
  readonly onChange: (value: string | null | undefined) => void;
}

/** Values that cannot be typed: not set although there is a default, or an empty text. */
export function ValueMenu({ parameter, label, kind, value, onChange }: ValueMenuProps) {
  const isText = kind === 'text';
  // without a default, an empty field already means not set
  const hasOtherNull = !parameter.required && parameter.default !== undefined;
  if (!hasOtherNull && !isText) return null;
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="sm" aria-label={`Special values of ${label.replace('@', '')}`}>
          <IconDots size={14} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {!parameter.required && (
          <Menu.Item disabled={value === undefined} onClick={() => onChange(undefined)}>
            {parameter.default === undefined ? 'Not set' : `Default: ${parameter.default}`}
          </Menu.Item>
        )}
        {hasOtherNull && (
          <Menu.Item disabled={value === null} onClick={() => onChange(null)}>
            Not set
          </Menu.Item>
        )}
        {isText && (
          <Menu.Item disabled={value === ''} onClick={() => onChange('')}>
            Empty text
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
