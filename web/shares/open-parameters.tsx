import { Checkbox, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { QueryParameter, SentParameter } from '../app/wire.ts';
import { MASKED, valuesText } from './share-kind.ts';

export interface OpenParametersProps {
  readonly label: string;
  readonly description: string;
  readonly parameters: readonly QueryParameter[]; // that can be sent
  readonly values: Readonly<Record<string, SentParameter['Value'] | undefined>>; // by name
  readonly open: readonly string[];
  readonly onChange: (open: string[]) => void;
  readonly error?: ReactNode;
}

/** Which parameters those who use an embed or a data link may set. */
export function OpenParameters({ parameters, values, open, onChange, ...texts }: OpenParametersProps) {
  if (parameters.length === 0) return null;
  return (
    <Checkbox.Group {...texts} value={[...open]} onChange={onChange}>
      <Stack gap={6} mt={6}>
        {parameters.map((parameter) => (
          <Checkbox
            key={parameter.name}
            value={parameter.name}
            label={parameterText(parameter, values[parameter.name])}
            styles={{ labelWrapper: { minWidth: 0 }, label: { overflowWrap: 'anywhere' } }}
          />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}

/** '@Region = North', with the default if there is no value. */
function parameterText({ name, masked, default: fallback }: QueryParameter, sent: SentParameter['Value'] | undefined): string {
  const value = sent === undefined ? fallback : sent;
  return value === undefined ? name : valuesText({ [name]: masked === true ? MASKED : value });
}
