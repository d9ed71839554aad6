<?php
// Every kind of state that a request can leave behind, and that another thread's request could show: all must be as in a fresh process,
// and stay as this request sets it while others run.
$id = (int)$_GET['id'];
class Keep
{
    public static array $seen = [];
}
function calls(): int
{
    static $calls = 0;
    return ++$calls;
}

$wrong = [];
if (isset($GLOBALS['left'])) $wrong[] = 'a global';
if (Keep::$seen) $wrong[] = 'a static property';
if (calls() !== 1) $wrong[] = 'a static variable';
if (defined('MARK')) $wrong[] = 'a constant';
if (ini_get('precision') !== '14') $wrong[] = 'an ini setting';
if (set_error_handler(fn() => true) !== null) $wrong[] = 'an error handler';
if (ob_get_level() !== 0) $wrong[] = 'an output buffer';
if (http_response_code() !== 200) $wrong[] = 'a status';

$left = $id;
Keep::$seen[] = $id;
define('MARK', $id);
ini_set('precision', (string)(5 + $id % 7));
mt_srand($id);
$numbers = [mt_rand(), mt_rand()];
mt_srand($id);
ob_start();
echo "own output of $id";
$first = mt_rand();
usleep(500); // others come in between
if ($first !== $numbers[0] || mt_rand() !== $numbers[1]) $wrong[] = 'random numbers, later';
if (ob_get_clean() !== "own output of $id") $wrong[] = 'output, later';
if ($GLOBALS['left'] !== $id || Keep::$seen !== [$id] || MARK !== $id) $wrong[] = 'variables, later';
if (ini_get('precision') !== (string)(5 + $id % 7)) $wrong[] = 'an ini setting, later';
if ((string)(1 / 3) !== sprintf('%.' . (5 + $id % 7) . 'f', 1 / 3)) $wrong[] = 'precision, later';
if ((int)$_GET['id'] !== $id) $wrong[] = 'the query, later';

header("X-Id: $id");
echo "id=$id ", $wrong ? 'sees ' . implode(', ', $wrong) : 'clean', "\n";
