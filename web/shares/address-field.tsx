import { TextInput } from '@mantine/core';
import { type FocusEvent, useEffect, useRef } from 'react';
import { CopyButton } from '../components/copy/copy-button.tsx';

export interface AddressFieldProps {
  readonly label: string;
  readonly description?: string;
  readonly url: string;
  readonly copyLabel: string;
  readonly hasFocus?: boolean; // when it appears
}

/** An address to copy. */
export function AddressField({ label, description, url, copyLabel, hasFocus = false }: AddressFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (hasFocus) input.current?.focus();
  }, [hasFocus]);
  return (
    <TextInput
      ref={input}
      label={label}
      description={description}
      readOnly
      value={url}
      onFocus={selectAll}
      rightSection={url === '' ? null : <CopyButton value={url} label={copyLabel} />}
    />
  );
}

export const selectAll = ({ currentTarget }: FocusEvent<HTMLInputElement | HTMLTextAreaElement>): void => currentTarget.select();
