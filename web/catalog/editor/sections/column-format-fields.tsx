import { Group, NumberInput, Select, TextInput } from '@mantine/core';
import { type ColumnFormat, formatKinds, writesDigits } from '../../../../src/core/column-format.ts';
import type { ColumnDraft } from '../query-draft.ts';

export interface ColumnFormatFieldsProps {
  readonly column: ColumnDraft;
  readonly onChange: (format: ColumnFormat | null) => void;
  readonly errorOf: (field: string) => string | undefined;
  readonly readOnly: boolean;
}

/** How the values of a column are shown; the fields depend on the kind. */
export function ColumnFormatFields({ column: { name, format }, onChange, errorOf, readOnly }: ColumnFormatFieldsProps) {
  const change = (more: Settings): void => {
    if (format !== null) onChange(withSettings(format, more));
  };
  return (
    <Group gap={6} align="flex-start">
      <Select
        aria-label={`Format of ${name}`}
        data={kinds}
        value={format?.kind ?? 'automatic'}
        onChange={(value) => onChange(formatOf(value))}
        allowDeselect={false}
        error={errorOf('kind')}
        disabled={readOnly}
        w={116}
      />
      {format?.kind === 'currency' && (
        <TextInput
          aria-label={`Currency of ${name}`}
          placeholder="EUR"
          value={format.currency ?? ''}
          onChange={({ currentTarget: { value } }) => change({ currency: value.toUpperCase() })}
          maxLength={3}
          error={errorOf('currency')}
          readOnly={readOnly}
          w={72}
        />
      )}
      {format?.kind === 'number' && (
        <TextInput
          aria-label={`Unit of ${name}`}
          placeholder="Unit"
          value={format.unit ?? ''}
          onChange={({ currentTarget: { value } }) => change({ unit: value })}
          maxLength={20}
          error={errorOf('unit')}
          readOnly={readOnly}
          w={72}
        />
      )}
      {writesDigits(format ?? undefined) && (
        <NumberInput
          aria-label={`Decimals of ${name}`}
          placeholder="Decimals"
          value={format?.decimals ?? ''}
          onChange={(value) => change({ decimals: value === '' ? undefined : Number(value) })}
          min={0}
          max={6}
          allowDecimal={false}
          allowNegative={false}
          error={errorOf('decimals')}
          readOnly={readOnly}
          hideControls
          w={88}
        />
      )}
    </Group>
  );
}

type Settings = { readonly [Field in 'currency' | 'decimals' | 'unit']?: ColumnFormat[Field] | undefined };

/** Empty settings are left out; drafts are compared as JSON, in the order of these fields. */
function withSettings(format: ColumnFormat, more: Settings): ColumnFormat {
  const { kind, currency, decimals, unit } = { ...format, ...more };
  return {
    kind,
    ...(currency ? { currency } : {}),
    ...(decimals === undefined ? {} : { decimals }),
    ...(unit ? { unit } : {}),
  };
}

const formatOf = (value: string | null): ColumnFormat | null => {
  const kind = formatKinds.find((each) => each === value);
  return kind === undefined ? null : { kind };
};

const kinds = [
  { value: 'automatic', label: 'Automatic' },
  { value: 'number', label: 'Number' },
  { value: 'currency', label: 'Currency' },
  { value: 'percent', label: 'Percent' },
  { value: 'bytes', label: 'Bytes' },
  { value: 'duration', label: 'Duration' },
  { value: 'id', label: 'Id' },
  { value: 'text', label: 'Text' },
];
