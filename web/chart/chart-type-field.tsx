import './chart-type-field.css';
import { Input } from '@mantine/core';
import { useId } from 'react';
import { type ChartType, chartTypes } from '../../src/core/chart-config.ts';
import { ChartTypePicture } from './chart-type-picture.tsx';

interface ChartTypeFieldProps {
  readonly value: ChartType;
  readonly onChange: (type: ChartType) => void;
  readonly readOnly?: boolean;
}

/** The chart types as pictures with names: native radio buttons, so that arrow keys work as usual. */
export function ChartTypeField({ value, onChange, readOnly = false }: ChartTypeFieldProps) {
  const id = useId();
  return (
    <Input.Wrapper label="Chart Type" labelElement="div" labelProps={{ id }}>
      <div className="chart-types" role="radiogroup" aria-labelledby={id}>
        {chartTypes.map(({ type, name }) => (
          <label key={type} className="chart-type">
            <input type="radio" name={id} checked={type === value} disabled={readOnly} onChange={() => onChange(type)} />
            <ChartTypePicture type={type} />
            <span>{name}</span>
          </label>
        ))}
      </div>
    </Input.Wrapper>
  );
}
