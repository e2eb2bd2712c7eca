import { Button, MultiSelect, Paper, Select, SimpleGrid, Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import type { ChartColumn } from '../../../../src/charts/built-chart.ts';
import { chartSettings, configOfChart, countRows } from '../../../../src/charts/suggest-chart.ts';
import { type ChartConfig, ofRows, severalSeries, stackable } from '../../../../src/core/chart-config.ts';
import type { Query, Row } from '../../../app/wire.ts';
import { ChartChoice } from '../../../chart/chart-choice.tsx';
import { ChartTypeField } from '../../../chart/chart-type-field.tsx';
import { LazyChart } from '../../../chart/lazy-chart.tsx';
import { useChartData } from '../../../chart/use-chart-data.ts';
import type { ColumnDraft } from '../query-draft.ts';
import type { Previewed } from '../use-preview.ts';
import type { QueryEditor } from '../use-query-editor.ts';
import { Section } from './section.tsx';

type Chart = NonNullable<Query['chart']>;

export interface ChartSectionProps {
  readonly editor: QueryEditor;
  readonly preview: Previewed | null;
  readonly readOnly: boolean;
}

/** The chart that the query opens as, with a live preview of the rows that were previewed last. */
export function ChartSection({ editor, preview, readOnly }: ChartSectionProps) {
  const { draft, change, saved } = editor;
  const validated = saved?.target.resultColumns ?? null;
  const { columns, rows } = useMemo(
    () => readPreviewColumns(draft.columns, validated, preview),
    [draft.columns, validated, preview],
  );
  const setChart = (chart: Chart | null): void => change((before) => ({ ...before, chart }));
  const suggested = useMemo(() => chartSettings(null, columns, rows), [columns, rows]);
  const firstChoice = suggested ?? countRows(columns);
  const shown = useMemo(() => {
    const config = draft.chart === null ? suggested : configOfChart(draft.chart);
    return config && { ...config, showToolbar: false, enableAnimations: false, chartHeight: PREVIEW_HEIGHT };
  }, [draft.chart, suggested]);
  const source = useMemo(() => ({ queryName: '', parameters: [], columns, rows, code: null }), [columns, rows]);
  const { content } = useChartData(source, shown);
  const isKnown = columns.length > 0;
  return (
    <Section
      title="Chart"
      description="How the query opens in Query To Chart."
      actions={
        !readOnly &&
        (draft.chart === null ? (
          <Button
            variant="default"
            size="xs"
            disabled={firstChoice === null}
            onClick={() => firstChoice && setChart(chartOf(firstChoice))}
          >
            Choose a chart
          </Button>
        ) : (
          <Button variant="default" size="xs" onClick={() => setChart(null)}>
            Use the suggestion
          </Button>
        ))
      }
    >
      {!isKnown && draft.chart === null && (
        <Text size="sm">{saved === null ? 'Preview' : 'Validate or preview'} the query to see its chart.</Text>
      )}
      {isKnown && draft.chart === null && (
        <Text size="sm">{suggested === null ? 'A list: opens as a table.' : 'Suggested from the columns and rows.'}</Text>
      )}
      {draft.chart !== null && (
        <ChartFields chart={draft.chart} columns={columns} errors={editor.errors} readOnly={readOnly} onChange={setChart} />
      )}
      {rows.length > 0 && content !== null && (
        <Paper withBorder style={{ overflow: 'hidden' }}>
          <LazyChart {...content} more={ofPreview} />
        </Paper>
      )}
    </Section>
  );
}

const PREVIEW_HEIGHT = 320;

interface ChartFieldsProps {
  readonly chart: Chart;
  readonly columns: readonly ChartColumn[];
  readonly errors: Readonly<Record<string, string>>;
  readonly readOnly: boolean;
  readonly onChange: (chart: Chart) => void;
}

function ChartFields({ chart, columns, errors, readOnly, onChange }: ChartFieldsProps) {
  const config = configOfChart(chart);
  const set = (fields: Partial<ChartConfig>): void => onChange(chartOf({ ...config, ...fields }, chart));
  const choice = { config, onChange: set, readOnly };
  // columns that the SQL no longer has stay until another is chosen
  const names = [
    ...new Set([...columns.map(({ name }) => name), chart.label, ...chart.data, ...(chart.series ? [chart.series] : [])]),
  ];
  const [dataError] = Object.keys(errors).filter((field) => field.startsWith('chart.data'));
  return (
    <Stack gap="sm">
      <ChartTypeField value={chart.type} onChange={(chartType) => set({ chartType })} readOnly={readOnly} />
      <SimpleGrid cols={{ base: 1, xs: 2 }} verticalSpacing="sm">
        <Select
          label="Label Column"
          data={names}
          value={chart.label}
          onChange={(labelColumn) => labelColumn !== null && set({ labelColumn })}
          error={errors['chart.label']}
          allowDeselect={false}
          readOnly={readOnly}
        />
        <MultiSelect
          label="Data Columns"
          data={names}
          value={[...chart.data]}
          onChange={([dataColumn, ...moreDataColumns]) =>
            dataColumn !== undefined &&
            set({ dataColumn, moreDataColumns, ...(moreDataColumns.length > 0 ? { seriesColumn: null } : {}) })
          }
          error={dataError && errors[dataError]}
          readOnly={readOnly}
        />
        {severalSeries.has(chart.type) && (
          <Select
            label="Series Column"
            data={names.filter((name) => name !== chart.label)}
            value={chart.series ?? null}
            onChange={(seriesColumn) => set({ seriesColumn, ...(seriesColumn === null ? {} : { moreDataColumns: [] }) })}
            placeholder="None"
            error={errors['chart.series']}
            clearable
            readOnly={readOnly}
          />
        )}
        {!ofRows.has(chart.type) && <ChartChoice name="aggregate" {...choice} />}
        {!ofRows.has(chart.type) && <ChartChoice name="sortBy" {...choice} />}
        {!ofRows.has(chart.type) && columns.find(({ name }) => name === config.labelColumn)?.nature === 'time' && (
          <ChartChoice name="timeUnit" {...choice} />
        )}
        {stackable.has(chart.type) && <ChartChoice name="stacked" {...choice} />}
        {chart.type === 'bar' && <ChartChoice name="barOrientation" {...choice} />}
      </SimpleGrid>
    </Stack>
  );
}

const ofPreview = ['Drawn from the rows of the preview.'];

/** Keeps options that this form does not show. */
function chartOf(config: ChartConfig, before?: Chart): Chart {
  const { chartType, labelColumn, dataColumn, moreDataColumns, seriesColumn, aggregate, sortBy, timeUnit, ...look } = config;
  const { stacked, barOrientation } = look;
  const { stacked: _stacked, barOrientation: _orientation, ...others } = before?.options ?? {};
  const options = {
    ...others,
    ...(stacked === 'none' ? {} : { stacked }),
    ...(barOrientation === 'vertical' ? {} : { barOrientation }),
  };
  return {
    type: chartType,
    label: labelColumn,
    data: [dataColumn, ...moreDataColumns],
    ...(seriesColumn === null ? {} : { series: seriesColumn }),
    ...(aggregate === 'sum' ? {} : { aggregate }),
    ...(sortBy === 'none' ? {} : { sortBy }),
    ...(timeUnit === 'auto' ? {} : { timeUnit }),
    ...(Object.keys(options).length === 0 ? {} : { options }),
  };
}

/** The columns and rows of the preview, or else the validated columns, by their display names. */
function readPreviewColumns(
  definitions: readonly ColumnDraft[],
  validated: Query['resultColumns'],
  preview: Previewed | null,
): { readonly columns: readonly ChartColumn[]; readonly rows: readonly Row[] } {
  const definitionOf = (name: string) => definitions.find((column) => column.name === name);
  const labelOf = (name: string): string => definitionOf(name)?.displayName || name;
  const found = preview === null ? (validated ?? []).map(({ name, class: type }) => ({ name, type })) : preview.rows.columns;
  return {
    columns: found.map(({ name, type }) => {
      const format = definitionOf(name)?.format;
      const nature = format?.kind === 'id' ? ({ nature: 'id' } as const) : {};
      return { name: labelOf(name), class: definitionOf(name)?.type ?? type, ...nature, ...(format && { format }) };
    }),
    rows: (preview?.rows.data ?? []).map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [labelOf(name), value])),
    ),
  };
}
