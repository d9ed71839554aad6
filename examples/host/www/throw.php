<?php
function deep(int $n): int
{
    if ($n === 0) throw new RuntimeException('nobody catches this ' . $_GET['id']);
    return 1 + deep($n - 1);
}
register_shutdown_function(function (): void {
    echo 'id=', $_GET['id'], " ended\n";
});
deep(20);
