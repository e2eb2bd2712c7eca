import { Text } from '@mantine/core';
import { AddressField } from '../shares/address-field.tsx';
import type { DataAddress } from './data-address.ts';

export interface OwnAddressProps {
  readonly own: DataAddress;
  readonly masked: readonly string[]; // parameters whose values are not shown
}

/** The address for readers who sign in. */
export const OwnAddress = ({ own, masked }: OwnAddressProps) => (
  <div>
    <AddressField
      label="Address for readers who sign in"
      description="Use this one if the program can send a password or an API key: each reader gets the rows that they may see."
      url={own.url}
      copyLabel="Copy address"
    />
    {masked.length > 0 && (
      <Text size="xs" c="dimmed" mt={4}>
        {`Without the value of ${masked.join(', ')}, which is masked. Readers add it.`}
      </Text>
    )}
  </div>
);
