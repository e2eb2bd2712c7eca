import { Anchor, Badge, Group, Skeleton, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { FigureChart } from '../components/figures/figure-chart.tsx';
import { changeText, figureText, measureText, periodText } from '../components/figures/figure-texts.ts';
import { type Figure, useFigures } from '../components/figures/use-figures.ts';
import { Time } from '../components/time.tsx';
import { HomeCard } from './home-card.tsx';
import classes from './home.module.css';

/** Small charts of results that the service still has; nothing if it has none. */
export function FiguresCard() {
  const { figures, isLoading } = useFigures();
  if (isLoading) return <Skeleton height={180} aria-label="Loading figures" role="status" />;
  if (figures.length === 0) return null;
  return (
    <HomeCard title="At a glance">
      <ul className={`${classes.queries} ${classes.glance}`}>
        {figures.map((figure) => (
          <li key={figure.id} className={classes.tile}>
            <Tile figure={figure} />
          </li>
        ))}
      </ul>
    </HomeCard>
  );
}

function Tile({ figure }: { readonly figure: Figure }) {
  const { id, name, labelColumn, unit, last, change, at, labels } = figure;
  const measure = measureText(figure);
  return (
    <Stack gap={6} h="100%" justify="space-between">
      <div>
        <Anchor
          size="sm"
          fw={600}
          lineClamp={2}
          title={name}
          renderRoot={(props) => <Link to="/queries/$id" params={{ id }} search={{ view: 'chart' }} {...props} />}
        >
          {name}
        </Anchor>
        <Text size="xs" c="dimmed" truncate>
          {unit === null ? `${measure} by ${labelColumn}${labels > 4 ? `, the largest of ${labels}` : ''}` : measure}
        </Text>
      </div>
      {unit !== null && last !== null && (
        <Group gap={8} align="baseline">
          <Text size="xl" fw={600} lh={1.2} className="tabular">
            {figureText(last.value, figure)}
          </Text>
          {change !== null && (
            <Badge variant="light" color="gray" tt="none" className="tabular" title={`Since the ${unit} before`}>
              {changeText(change)}
            </Badge>
          )}
          <Text size="xs" c="dimmed">
            {periodText(last.label, unit)}
          </Text>
        </Group>
      )}
      <FigureChart figure={figure} />
      <Text size="xs" c="dimmed" component="span">
        As of <Time at={at} as="relative" />
      </Text>
    </Stack>
  );
}
