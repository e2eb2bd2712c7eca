import { Select } from '@mantine/core';
import { type Expiration, expirations, isExpiration } from './expiration.ts';

export interface ExpirationSelectProps {
  readonly value: Expiration;
  readonly onChange: (expiration: Expiration) => void;
  readonly disabled?: boolean;
}

export function ExpirationSelect({ value, onChange, disabled = false }: ExpirationSelectProps) {
  return (
    <Select
      label="Token Expiration (days)"
      data={expirations}
      value={value}
      onChange={(word) => isExpiration(word) && onChange(word)}
      allowDeselect={false}
      disabled={disabled}
    />
  );
}
