<?php
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lex.php [ROUNDS] - scanner and compiler: a source of 400 classes, compiled ROUNDS times (25). Touches the compiler's and the
// scanner's globals and the request heap's, and hardly runs anything.

function source(int $round): string
{
    $text = "namespace round$round;\n";
    for ($i = 0; $i < 400; $i++) {
        $text .= <<<CLASS
            /** A point of kind $i, which knows how to move. */
            final class Point$i implements \\JsonSerializable
            {
                public const NAMES = ['x' => $i, 'y' => $i + 1, 'label' => "point \\t$i"];
                private static int \$made = 0;
                private array \$seen = [];

                public function __construct(public int \$x = $i, protected ?string \$label = null)
                {
                    self::\$made++; // counted for the whole request
                }

                public function moved(int \$by, bool \$quick = false): static
                {
                    if (\$by < 0 && !\$quick) {
                        throw new \\RangeException("cannot move {\$this->label} by \$by");
                    }
                    foreach ([1, 2, 3] as \$key => \$step) {
                        \$this->seen["step \$key"] = \$step * \$by + (\$this->seen["step \$key"] ?? 0);
                    }
                    return new static(\$this->x + \$by, \$this->label);
                }

                public function jsonSerialize(): mixed
                {
                    return ['x' => \$this->x, 'seen' => \array_sum(\$this->seen), 'of' => self::\$made];
                }
            }

            CLASS;
    }
    return $text;
}

$rounds = (int) ($argv[1] ?? 25);
$bytes = 0;
for ($round = 0; $round < $rounds; $round++) {
    $text = source($round);
    $bytes += strlen($text);
    eval($text);
}
$class = '\\round' . ($rounds - 1) . '\\Point399';
echo "$rounds rounds, $bytes bytes, ", json_encode((new $class())->moved(2)), "\n";
