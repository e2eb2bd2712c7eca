import {
  Button,
  Group,
  Input,
  NumberInput,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  TextInput,
} from '@mantine/core';
import { type FormEvent, useEffect, useId } from 'react';
import { chartTypes, type LegendPosition } from '../../src/charts/chart-config.ts';
import type { Query } from '../app/wire.ts';
import { preloadChart } from '../chart/lazy-chart.tsx';
import { type ChartForm, type NumberField, ranges } from './chart-form.ts';
import { ResultSummary } from './result-summary.tsx';
import type { ChartWizard } from './use-chart-wizard.ts';

const toggles = [
  { field: 'showToolbar', label: 'Show Toolbar' },
  { field: 'showDataLabels', label: 'Show Data Labels' },
  { field: 'showGrid', label: 'Show Grid' },
  { field: 'showLegend', label: 'Show Legend' },
  { field: 'enableZoom', label: 'Enable Zoom' },
  { field: 'enableAnimations', label: 'Enable Animations' },
  { field: 'patterns', label: 'Patterns', description: 'Distinguish series without colour' },
] as const;

const legendPositions: readonly { readonly value: LegendPosition; readonly label: string }[] = [
  { value: 'top', label: 'Top' },
  { value: 'bottom', label: 'Bottom' },
  { value: 'left', label: 'Left' },
  { value: 'right', label: 'Right' },
];

export function ConfigurationStep({ query, wizard }: { readonly query: Query; readonly wizard: ChartWizard }) {
  const { form, formErrors, setForm, generate, goTo } = wizard;
  useEffect(preloadChart, []);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    generate();
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="lg">
        <QueryHints query={query} />
        <ResultSummary wizard={wizard} />
        <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} verticalSpacing="md">
          <Select
            label="Chart Type"
            data={chartTypes.map(({ type, name }) => ({ value: type, label: name }))}
            value={form.chartType}
            onChange={(chartType) => chartType !== null && setForm({ chartType })}
            allowDeselect={false}
          />
          <ColumnSelect label="Label Column" field="labelColumn" wizard={wizard} />
          <ColumnSelect label="Data Column" field="dataColumn" wizard={wizard} />
          <TextInput
            label="Chart Title"
            value={form.title}
            onChange={(event) => setForm({ title: event.currentTarget.value })}
            error={formErrors.title}
          />
          <WholeNumber label="Chart Height (px)" field="chartHeight" step={50} wizard={wizard} />
          <WholeNumber label="Animation Speed (ms)" field="animationSpeed" step={100} wizard={wizard} />
        </SimpleGrid>
        <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} verticalSpacing="sm">
          {toggles.map(({ field, label, ...more }) => (
            <Switch
              key={field}
              label={label}
              {...more}
              checked={form[field]}
              onChange={(event) => setForm({ [field]: event.currentTarget.checked })}
            />
          ))}
        </SimpleGrid>
        <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} verticalSpacing="md">
          {form.chartType === 'bar' && <BarOrientation form={form} setForm={setForm} />}
          {form.chartType === 'bar' && <WholeNumber label="Bar Width (%)" field="barWidth" step={5} wizard={wizard} />}
          <Select
            label="Legend Position"
            data={legendPositions}
            value={form.legendPosition}
            onChange={(legendPosition) => legendPosition !== null && setForm({ legendPosition })}
            allowDeselect={false}
            disabled={!form.showLegend}
          />
        </SimpleGrid>
        <Group justify="space-between">
          <Button variant="default" onClick={() => goTo(0)}>
            Previous
          </Button>
          <Button type="submit">Generate Chart</Button>
        </Group>
      </Stack>
    </form>
  );
}

/** The description and the tip of the query. */
function QueryHints({ query: { description, tip } }: { readonly query: Query }) {
  if (description === '' && tip === '') return null;
  return (
    <Stack gap={2}>
      {description !== '' && (
        <Text size="sm" c="dimmed" dir="auto">
          {description}
        </Text>
      )}
      {tip !== '' && (
        <Text size="sm" c="dimmed" dir="auto">
          <b>Tip:</b> {tip}
        </Text>
      )}
    </Stack>
  );
}

interface FieldProps<Field> {
  readonly label: string;
  readonly field: Field;
  readonly wizard: ChartWizard;
}

function ColumnSelect({ label, field, wizard }: FieldProps<'labelColumn' | 'dataColumn'>) {
  const { form, formErrors, setForm, result } = wizard;
  return (
    <Select
      label={label}
      data={result?.columns.map(({ name }) => name) ?? []}
      renderOption={({ option }) => <ColumnOption name={option.value} wizard={wizard} />}
      value={form[field] === '' ? null : form[field]}
      onChange={(column) => column !== null && setForm({ [field]: column })}
      allowDeselect={false}
      searchable={(result?.columns.length ?? 0) > 10}
      error={formErrors[field]}
    />
  );
}

function ColumnOption({ name, wizard }: { readonly name: string; readonly wizard: ChartWizard }) {
  const column = wizard.result?.columns.find((each) => each.name === name);
  return (
    <Group justify="space-between" gap="sm" flex={1} wrap="nowrap">
      <span dir="auto">{name}</span>
      <Input.Description component="span">{column?.class}</Input.Description>
    </Group>
  );
}

function WholeNumber({ label, field, step, wizard }: FieldProps<NumberField> & { readonly step: number }) {
  const { form, formErrors, setForm } = wizard;
  const [min, max] = ranges[field];
  return (
    <NumberInput
      label={label}
      value={form[field]}
      onChange={(value) => setForm({ [field]: value })}
      min={min}
      max={max}
      step={step}
      clampBehavior="none"
      allowDecimal={false}
      error={formErrors[field]}
    />
  );
}

function BarOrientation({ form, setForm }: { readonly form: ChartForm; readonly setForm: ChartWizard['setForm'] }) {
  const label = useId();
  return (
    <Input.Wrapper label="Bar Orientation" labelElement="div" labelProps={{ id: label }}>
      <SegmentedControl
        fullWidth
        aria-labelledby={label}
        data={[
          { value: 'vertical', label: 'Vertical' },
          { value: 'horizontal', label: 'Horizontal' },
        ]}
        value={form.barOrientation}
        onChange={(barOrientation) => setForm({ barOrientation })}
      />
    </Input.Wrapper>
  );
}
