import {
  Button,
  Group,
  Input,
  MultiSelect,
  NumberInput,
  Paper,
  SegmentedControl,
  Select,
  SimpleGrid,
  Skeleton,
  Stack,
  Switch,
  Text,
  TextInput,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type FormEvent, useEffect, useId, useMemo, useRef } from 'react';
import { type ChartConfig, type ChartType, ofRows, severalSeries, stackable } from '../../src/core/chart-config.ts';
import type { Query } from '../app/wire.ts';
import { ChartChoice, chartChoices } from '../chart/chart-choice.tsx';
import { ChartTypeField } from '../chart/chart-type-field.tsx';
import { LazyChart, preloadChart } from '../chart/lazy-chart.tsx';
import { useChartData } from '../chart/use-chart-data.ts';
import { ProblemAlert } from '../components/problem-alert.tsx';
import { type ChartForm, configOf, hasPositions, type NumberField, positionColumn, ranges } from './chart-form.ts';
import { ListTable } from './list-table.tsx';
import { ResultSummary } from './result-summary.tsx';
import type { ChartWizard } from './use-chart-wizard.ts';

const toggles = [
  { field: 'showToolbar', label: 'Show Toolbar' },
  { field: 'showDataLabels', label: 'Show Data Labels' },
  { field: 'showGrid', label: 'Show Grid' },
  { field: 'showLegend', label: 'Show Legend' },
  { field: 'enableZoom', label: 'Enable Zoom' },
  { field: 'enableAnimations', label: 'Enable Animations' },
  { field: 'patterns', label: 'Patterns', description: 'Distinguish series without color' },
] as const;

export function ConfigurationStep({ query, wizard }: { readonly query: Query; readonly wizard: ChartWizard }) {
  const { form, formErrors, setForm, generate, goTo } = wizard;
  const chooseType = useChartTypeChoice(wizard);
  useEffect(preloadChart, []);
  const [opened, more] = useDisclosure(false);
  const isOpen = opened || folded.some((field) => formErrors[field] !== undefined);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    generate();
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="lg">
        <QueryHints query={query} />
        <ResultSummary wizard={wizard} />
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
          <Stack gap="md">
            <ChartTypeField value={form.chartType} onChange={chooseType} />
            <SimpleGrid cols={{ base: 1, xs: 2 }} verticalSpacing="md">
              <LabelColumn wizard={wizard} />
              <ColumnSelect label="Data Column" field="dataColumn" wizard={wizard} />
              {severalSeries.has(form.chartType) && <SeriesFields wizard={wizard} />}
              {!ofRows.has(form.chartType) && <RowFields wizard={wizard} />}
              {form.chartType === 'bar' && <BarOrientation form={form} setForm={setForm} />}
              <TextInput
                label="Chart Title"
                value={form.title}
                onChange={(event) => setForm({ title: event.currentTarget.value })}
                error={formErrors.title}
              />
            </SimpleGrid>
            <Button variant="subtle" size="xs" onClick={more.toggle} aria-expanded={isOpen} style={{ alignSelf: 'flex-start' }}>
              {isOpen ? 'Fewer options' : 'More options'}
            </Button>
            <Stack gap="lg" display={isOpen ? undefined : 'none'}>
              <SimpleGrid cols={{ base: 1, xs: 2 }} verticalSpacing="md">
                <WholeNumber label="Chart Height (px)" field="chartHeight" step={50} wizard={wizard} />
                <WholeNumber label="Animation Speed (ms)" field="animationSpeed" step={100} wizard={wizard} />
              </SimpleGrid>
              <SimpleGrid cols={{ base: 1, xs: 2 }} verticalSpacing="sm">
                {toggles.map(({ field, label, ...texts }) => (
                  <Switch
                    key={field}
                    label={label}
                    {...texts}
                    checked={form[field]}
                    onChange={(event) => setForm({ [field]: event.currentTarget.checked })}
                  />
                ))}
              </SimpleGrid>
              <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} verticalSpacing="md">
                {form.chartType === 'bar' && <WholeNumber label="Bar Width (%)" field="barWidth" step={5} wizard={wizard} />}
                <ChartChoice name="legendPosition" config={form} onChange={setForm} disabled={!form.showLegend} />
              </SimpleGrid>
            </Stack>
          </Stack>
          <LivePreview query={query} wizard={wizard} />
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

/** The sections that open if one of their fields has an error. */
const folded = ['chartHeight', 'animationSpeed', 'barWidth'] as const;

/** The chart as it would be generated, without its tools. The last valid one stays while a number is typed. */
function LivePreview({ query, wizard: { form, run, result, source } }: { readonly query: Query; readonly wizard: ChartWizard }) {
  const last = useRef<ChartConfig>(null);
  const config = useMemo(() => {
    const made = configOf(form);
    if (!('config' in made)) return last.current;
    return {
      ...made.config,
      showToolbar: false,
      enableAnimations: false,
      chartHeight: Math.min(made.config.chartHeight, PREVIEW_HEIGHT),
    };
  }, [form]);
  useEffect(() => {
    last.current = config;
  }, [config]);
  const [allLabels, { open: showAll }] = useDisclosure(false);
  const { content, error } = useChartData(source, config, allLabels);
  if (config === null && result !== null && result.settings === null && run.page !== null && run.page.Data.length > 0)
    return <ListTable query={query} rows={run.page.Data} isWhole={run.page.QueryMoreCode === null} />;
  if (source === null || config === null) return null;
  return (
    <Paper withBorder className="chart-preview" component="section" aria-label="Preview">
      <ProblemAlert error={error} title="The chart cannot be drawn" />
      {content === null ? <Skeleton height={config.chartHeight} /> : <LazyChart {...content} onShowAll={showAll} />}
    </Paper>
  );
}

const PREVIEW_HEIGHT = 420;

/** Further series: more data columns, or the values of one column. */
function SeriesFields({ wizard: { form, setForm, result } }: { readonly wizard: ChartWizard }) {
  const columns = result?.columns ?? [];
  const numbers = columns.filter(
    (column) => column.class === 'numeric' && column.name !== form.dataColumn && column.format?.kind !== 'id',
  );
  return (
    <>
      <MultiSelect
        label="Compare With"
        data={numbers.map(({ name }) => name)}
        value={[...form.moreDataColumns]}
        onChange={(moreDataColumns) =>
          setForm({ moreDataColumns, ...(moreDataColumns.length > 0 ? { seriesColumn: null } : {}) })
        }
        placeholder={form.moreDataColumns.length === 0 ? 'None' : undefined}
        clearable
      />
      <Select
        label="Series Column"
        data={columns.filter(({ name }) => name !== form.labelColumn).map(({ name }) => name)}
        value={form.seriesColumn}
        onChange={(seriesColumn) => setForm({ seriesColumn, ...(seriesColumn === null ? {} : { moreDataColumns: [] }) })}
        placeholder="None"
        clearable
      />
      {stackable.has(form.chartType) && (
        <ChartChoice
          name="stacked"
          config={form}
          onChange={setForm}
          disabled={form.moreDataColumns.length === 0 && form.seriesColumn === null}
        />
      )}
    </>
  );
}

/** How rows with the same label are aggregated, and how labels are sorted. */
function RowFields({ wizard: { form, setForm, result } }: { readonly wizard: ChartWizard }) {
  const isTime = result?.columns.find(({ name }) => name === form.labelColumn)?.nature === 'time';
  const choice = { config: form, onChange: setForm };
  return (
    <>
      <ChartChoice name="aggregate" {...choice} />
      <ChartChoice name="sortBy" {...choice} />
      {isTime && <ChartChoice name="timeUnit" {...choice} disabled={form.aggregate === 'none'} />}
    </>
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

/** A scatter chart gets a label column with positions, if there is one; the next type gets the former label column back. */
function useChartTypeChoice({ form, setForm, result }: ChartWizard): (chartType: ChartType) => void {
  const replaced = useRef<{ readonly label: string; readonly by: string } | null>(null);
  return (chartType) => {
    const { labelColumn } = form;
    const by = chartType === 'scatter' ? positionColumn(form, result?.columns ?? []) : null;
    if (by !== null) replaced.current = { label: labelColumn, by };
    const isBack = chartType !== 'scatter' && replaced.current?.by === labelColumn;
    setForm({ chartType, labelColumn: by ?? (isBack ? (replaced.current?.label ?? labelColumn) : labelColumn) });
  };
}

/** For a scatter chart, columns with positions come first, and any other says what to do. */
function LabelColumn({ wizard }: { readonly wizard: ChartWizard }) {
  const { form, result } = wizard;
  const columns = result?.columns ?? [];
  if (form.chartType !== 'scatter') return <ColumnSelect label="Label Column" field="labelColumn" wizard={wizard} />;
  const namesOf = (positions: boolean) => columns.filter((column) => hasPositions(column) === positions).map(({ name }) => name);
  const groups = [
    { group: 'Numbers and times', items: namesOf(true) },
    { group: 'Other columns', items: namesOf(false) },
  ].filter(({ items }) => items.length > 0);
  const chosen = columns.find(({ name }) => name === form.labelColumn);
  const hint =
    chosen === undefined || hasPositions(chosen)
      ? 'A number or a time: the position of each dot.'
      : `“${chosen.name}” has no numbers, so positions mean nothing. Choose a number or a time, or a Box Plot Chart.`;
  return <ColumnSelect label="Label Column" field="labelColumn" wizard={wizard} data={groups} description={hint} />;
}

interface ColumnSelectProps extends FieldProps<'labelColumn' | 'dataColumn'> {
  readonly data?: readonly { readonly group: string; readonly items: string[] }[];
  readonly description?: string;
}

function ColumnSelect({ label, field, wizard, data, description }: ColumnSelectProps) {
  const { form, formErrors, setForm, result } = wizard;
  return (
    <Select
      label={label}
      description={description}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      data={
        data ??
        result?.columns.filter((column) => field === 'labelColumn' || column.format?.kind !== 'id').map(({ name }) => name) ??
        []
      }
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
  const orientations = chartChoices.barOrientation;
  return (
    <Input.Wrapper label={orientations.label} labelElement="div" labelProps={{ id: label }}>
      <SegmentedControl
        fullWidth
        aria-labelledby={label}
        data={[...orientations.data]}
        value={form.barOrientation}
        onChange={(barOrientation) => setForm({ barOrientation })}
      />
    </Input.Wrapper>
  );
}
