import { ActionIcon, Menu } from '@mantine/core';
import type { QueryParameter } from '../../app/wire.ts';
import { IconDots } from '../icons.tsx';
import type { InputKind } from './parameter-values.ts';

export interface ValueMenuProps {
  readonly parameter: QueryParameter;
  readonly kind: InputKind;
  readonly value: string | null | undefined;
  readonly onChange: (value: string | null | undefined) => void;
}

/** Values that cannot be typed: NULL, an empty text, or no value. */
export function ValueMenu({ parameter, kind, value, onChange }: ValueMenuProps) {
  const isText = kind === 'text';
  if (parameter.required && !isText) return null;
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="sm" aria-label={`Special values of ${parameter.name.slice(1)}`}>
          <IconDots size={14} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {!parameter.required && (
          <Menu.Item disabled={value === undefined} onClick={() => onChange(undefined)}>
            {parameter.default === undefined ? 'Leave out' : `Leave out: ${parameter.default}`}
          </Menu.Item>
        )}
        {!parameter.required && (
          <Menu.Item disabled={value === null} onClick={() => onChange(null)}>
            Send NULL
          </Menu.Item>
        )}
        {isText && (
          <Menu.Item disabled={value === ''} onClick={() => onChange('')}>
            Send an empty text
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
